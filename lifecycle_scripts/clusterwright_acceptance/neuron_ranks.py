"""`python3 -m clusterwright_acceptance.neuron_ranks PROGRAM WORDS...`: nccom-test over nodes.

One task of a step runs on each node. The first starts nccom-test in its Slurm mode, which starts
its ranks as another step of the same job. Each task looks whether a process of such a step appears
on its node: nccom-test's guide does not say how it tells a failure from ranks that did not start.
All of it is printed as JSON, one object in a line. The exit code is 0 unless nccom-test is missing
or hangs before it does anything: with another one srun would end the tasks that still look.

Source: AWS Neuron documentation, NCCOM-TEST User Guide (v2.28.1), "Slurm Execution".
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Optional

from clusterwright_common.probe import Probe

from clusterwright_acceptance import running

NAME = "nccom-test"
SLURM_MODE = "--slurm-mode"
REPORT = "/run/clusterwright-nccom-nodes.json"
START_SECONDS = 60.0
"""In which nccom-test starts its ranks."""
HELP_SECONDS = 60.0
"""In which each node's nccom-test prints its options: one that hangs would start no ranks."""
MISSING, HANGS = 127, 1
_POLL_SECONDS = 0.1
_OF_THIS_STEP = ("SLURM", "SRUN_", "SBATCH_", "SALLOC_", "PMI", "OMPI_", "PRTE_")
_PROC = Path("/proc")


def found(program: str) -> Optional[str]:
    """The path of nccom-test; None if the node does not have it."""
    places = running.PLACES[NAME] if program == NAME else ()
    return next((path for path in map(shutil.which, (program, *places)) if path), None)


def environment(given: Mapping[str, str]) -> dict[str, str]:
    """The variables of nccom-test: those of a shell of the cluster, not those of this step.

    The ranks share the node with this step, whose task holds its CPUs and devices.
    """
    kept = {
        key: value
        for key, value in given.items()
        if key == "SLURM_CONF" or not key.startswith(_OF_THIS_STEP)
    }
    return {**kept, "SLURM_OVERLAP": "1"}


def of_other_step(given: Mapping[str, str], proc: Path = _PROC) -> Optional[Path]:
    """A process of another step of this job on this node; None if there is none."""
    wanted = [
        f"{key}={given.get(key, '')}".encode() for key in ("SLURM_JOB_ID", "SLURMD_NODENAME")
    ]
    own = f"SLURM_STEP_ID={given.get('SLURM_STEP_ID', '')}".encode()
    for path in proc.glob("[0-9]*/environ"):
        try:
            words = path.read_bytes().split(b"\0")
        except OSError:
            continue
        steps = [word for word in words if word.startswith(b"SLURM_STEP_ID=")]
        if steps and steps[0] != own and all(word in words for word in wanted):
            return path
    return None


def watch(given: Mapping[str, str], ended: threading.Event) -> Optional[Path]:
    """Wait for a process of nccom-test's step on this node, until its time is over."""
    limit = time.monotonic() + START_SECONDS
    while time.monotonic() < limit and not ended.is_set():
        process = of_other_step(given)
        if process is not None:
            return process
        time.sleep(_POLL_SECONDS)
    return of_other_step(given)


def _stay(process: Optional[Path], given: Mapping[str, str]) -> None:
    """Stay as long as the ranks do.

    So this step has a task on each node, by which srun notices one that stops.
    """
    while process is not None:
        time.sleep(_POLL_SECONDS)
        process = process if process.exists() else of_other_step(given)


def run(program: str, words: Sequence[str], given: Mapping[str, str]) -> dict[str, Any]:
    """The end of nccom-test: its exit code, its report, and its last lines."""
    argv = [program, *words, SLURM_MODE, "--slurm-job-id", given.get("SLURM_JOB_ID", "")]
    report = Path(REPORT)
    report.unlink(missing_ok=True)
    done = subprocess.run(
        argv,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=environment(given),
        check=False,
    )
    lines = done.stdout.decode(errors="replace").strip().splitlines()
    text = report.read_text(encoding="utf-8") if report.exists() else ""
    return {"exit": done.returncode, "report": text, "last": lines[-3:]}


def _say(**row: Any) -> None:
    print(json.dumps(row), flush=True)


def main(argv: Sequence[str]) -> int:
    """Exit 127 where nccom-test is missing or has no Slurm mode, and 1 where it hangs."""
    given = dict(os.environ)
    node = given.get("SLURMD_NODENAME", "")
    program = found(argv[0])
    if program is None:
        _say(node=node, missing=f"{argv[0]} is not on this node")
        return MISSING
    is_first, process = given.get("SLURM_PROCID") == "0", None
    if not is_first:
        # Ranks may not be there for long: the look comes first.
        process = watch(given, threading.Event())
        _say(node=node, ranks=process is not None)
    asked = Probe(deadline_seconds=HELP_SECONDS).run([program, "--help"], HELP_SECONDS)
    if asked.exit_code is None:
        _say(node=node, hung=f"{argv[0]} --help did not end within {HELP_SECONDS:.0f} s")
        return HANGS
    if not is_first:
        _stay(process, given)
        return 0
    if SLURM_MODE not in f"{asked.stdout}{asked.stderr}":
        _say(node=node, missing=f"{argv[0]} has no {SLURM_MODE}: MPI over SSH is not used")
        return MISSING
    ended = threading.Event()
    looks = threading.Thread(target=lambda: _say(node=node, ranks=watch(given, ended) is not None))
    looks.start()
    row = run(program, argv[1:], given)
    ended.set()
    looks.join()
    _say(node=node, **row)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
