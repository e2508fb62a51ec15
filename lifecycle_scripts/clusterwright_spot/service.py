"""Poll for a notice; drain the node and signal the jobs that request it."""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from clusterwright_spot.notice import METADATA, Notice, read_notice

STATE = "/run/clusterwright/spot.json"
"""In a folder that a reboot empties: the next notice is a new one."""
LOG = "/var/log/clusterwright/spot.jsonl"
_SEARCH_PATH = "/opt/slurm/bin:/usr/local/bin:/usr/bin:/bin"
_TIMEOUT_SECONDS = 30.0
# The whole comment or one of its words. Signals that a script can handle and that end nothing
# else.
_REASON = "Spot interruption: "
_ASKS = re.compile(r"(?:^|[\s,;])spot=(USR1|USR2|TERM)(?=$|[\s,;])")


@dataclass
class State:
    """The handling of a notice: `told` are the jobs that got their signal."""

    notice: list[str] = field(default_factory=list)
    drained: bool = False
    told: list[str] = field(default_factory=list)


def main(argv: Sequence[str]) -> int:
    options = _parser().parse_args(argv)
    silent = put_back = False
    while True:
        try:
            notice = read_notice(options.endpoint)
        except (OSError, ValueError) as error:
            if not silent:  # once, not every five seconds
                _tell(options, "unreadable", text=str(error))
            silent = True
        else:
            silent = False
            if notice is not None:
                handle(notice, options)
            elif not put_back:
                put_back = resume(options)
        if options.once:
            return 0
        time.sleep(options.every_seconds)


def handle(notice: Notice, options: argparse.Namespace) -> None:
    """Do what is missing for a notice; failed actions are repeated at the next poll."""
    state = _read_state(options.state)
    if state.notice != [notice.action, notice.time]:
        state = State([notice.action, notice.time])
        _tell(options, "notice", text=f"{notice.action} at {notice.time}")
    if not state.drained:
        reason = f"{_REASON}{notice.action} at {notice.time}"
        name = f"NodeName={options.slurm_name}"
        done = _run(["scontrol", "update", name, "State=DRAIN", f"Reason={reason}"])
        state.drained = done is not None
        _tell(options, "drained" if state.drained else "failed", text=reason)
    for job, signal in _jobs_that_ask(options.slurm_name):
        if job not in state.told:
            done = _run(["scancel", "--batch", f"--signal={signal}", job])
            _tell(options, "told" if done is not None else "failed", text=f"job {job}: {signal}")
            if done is not None:
                state.told.append(job)
    _write_state(options.state, state)


def resume(options: argparse.Namespace) -> bool:
    """Resume a node that was drained for an instance which is gone.

    Slurm identifies the node by name, not the instance: the new instance, which has no notice, is
    still drained. Return whether Slurm answered.
    """
    shown = _run(["scontrol", "--oneliner", "show", "node", options.slurm_name])
    if shown is None:
        return False
    if "DRAIN" not in shown or f"Reason={_REASON}" not in shown:
        return True
    done = _run(["scontrol", "update", f"NodeName={options.slurm_name}", "State=RESUME"])
    _tell(options, "failed" if done is None else "resumed", text="a new instance")
    return done is not None


def _jobs_that_ask(name: str) -> list[tuple[str, str]]:
    listed = _run(["squeue", "--noheader", f"--nodelist={name}", "--states=R", "--format=%A %k"])
    found = []
    for line in (listed or "").splitlines():
        job, _, comment = line.partition(" ")
        asks = _ASKS.search(comment.strip())
        if asks is not None:
            found.append((job, asks.group(1)))
    return found


def _run(argv: list[str]) -> str | None:
    """The output of a command; None if it fails."""
    environment = {"PATH": _SEARCH_PATH, **os.environ, "LC_ALL": "C.UTF-8"}
    try:
        done = subprocess.run(
            argv,
            capture_output=True,
            text=True,
            check=False,
            env=environment,
            timeout=_TIMEOUT_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None


def _read_state(path: str) -> State:
    try:
        found = json.loads(Path(path).read_text(encoding="utf-8"))
        return State(list(found["notice"]), bool(found["drained"]), list(found["told"]))
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return State()


def _write_state(path: str, state: State) -> None:
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    fresh = target.with_name(f".{target.name}.tmp")
    fresh.write_text(json.dumps(asdict(state)) + "\n", encoding="utf-8")
    fresh.replace(target)


def _tell(options: argparse.Namespace, event: str, *, text: str) -> None:
    line = json.dumps(
        {
            "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            "node": options.slurm_name,
            "event": event,
            "text": text,
        }
    )
    print(line, flush=True)
    target = Path(options.log)
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("a", encoding="utf-8") as file:
        file.write(line + "\n")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="clusterwright_spot", allow_abbrev=False)
    parser.add_argument("--slurm-name", required=True)
    parser.add_argument("--endpoint", default=METADATA)
    parser.add_argument("--every-seconds", type=float, default=5.0)
    parser.add_argument("--state", default=STATE)
    parser.add_argument("--log", default=LOG)
    parser.add_argument("--once", action="store_true")
    return parser
