"""The rendered job file on this machine, with small sizes and substitutes for Slurm."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from array import array
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from tools.lint.files import ROOT

SPEC: Final = "configs/dev.yaml"
STEPS: Final = 12
SAVE_EVERY: Final = 4
SIZES: Final = (
    "--layers=2 --hidden=128 --ffn=256",
    "--heads=4 --kv-heads=2 --vocab=256",
    "--seq-len=64 --micro-batch=1 --accumulation={accumulation}",
)
_STEP: Final = re.compile(r"step: (\d+)  loss: (\S+)  lr: (\S+)")
_LIMIT_S: Final = 400.0


class TrialError(Exception):
    """What was seen is not what the job promises."""


def expect(condition: bool, text: str) -> None:
    """Raise TrialError with the text unless the condition holds."""
    if not condition:
        raise TrialError(text)


class Job:
    """One submission; each start appends to its log.

    Parameters
    ----------
    folder:
        Of this job; `data/tokens` of the folder above has its tokens.
    environment:
        A Python virtual environment with PyTorch.
    checkpoints:
        Their folder, if not one of the job's.
    """

    def __init__(self, folder: Path, environment: Path, checkpoints: Path | None = None) -> None:
        self.folder = folder
        self.checkpoints = checkpoints or folder / "checkpoints"
        self.log = folder / "job.log"
        self.starts = 0
        self._environment = environment
        self._id = _free_port() - 10_000
        self._process: subprocess.Popen[bytes] | None = None
        folder.mkdir(parents=True)

    def start(self, *, tasks_per_node: int = 1, accumulation: int = 2) -> None:
        """Start the batch script, as sbatch does it for the first time or after a requeue."""
        script = self.folder / "fsdp2.sbatch"
        script.write_text(self._text(tasks_per_node, accumulation), "utf-8")
        self._requeued.unlink(missing_ok=True)
        self._tasks.unlink(missing_ok=True)
        variables = {
            "PATH": f"{Path(__file__).parent / 'slurm'}:{os.environ['PATH']}",
            "OMP_NUM_THREADS": "1",
            "CUDA_VISIBLE_DEVICES": "",
            "SLURM_JOB_ID": str(self._id),
            "SLURM_JOB_NODELIST": "node-[1-2]",
            "SLURM_JOB_NUM_NODES": "2",
            "SLURM_CPUS_PER_TASK": "1",
            "SLURM_RESTART_COUNT": str(self.starts),
            "TRIAL_TASKS": str(self._tasks),
            "TRIAL_REQUEUED": str(self._requeued),
        }
        self.starts += 1
        with self.log.open("ab") as stream:
            self._process = subprocess.Popen(
                ["bash", str(script)],
                stdin=subprocess.DEVNULL,
                stdout=stream,
                stderr=stream,
                env={"HOME": str(self.folder)} | variables,
                start_new_session=True,
            )

    def wait(self) -> int | None:
        """The exit code of the batch script; None if it was requeued."""
        process = self._running
        try:
            process.wait(_LIMIT_S)
        finally:
            self.end()
        return None if self._requeued.exists() else process.returncode

    def run(self, *, tasks_per_node: int = 1, accumulation: int = 2) -> int | None:
        """Start it and wait."""
        self.start(tasks_per_node=tasks_per_node, accumulation=accumulation)
        return self.wait()

    def end(self) -> None:
        """Kill what is left of it, as Slurm does at the end of a job."""
        with suppress(ProcessLookupError):
            os.killpg(self._running.pid, signal.SIGKILL)
        self._running.wait()

    def until(self, seen: Callable[[], bool], what: str) -> None:
        """Wait until something is seen while the job runs."""
        deadline = time.monotonic() + _LIMIT_S
        while not seen():
            expect(self._running.poll() is None, f"the job ended before {what}")
            expect(time.monotonic() < deadline, f"{what} was not seen in {_LIMIT_S:.0f} s")
            time.sleep(0.001)

    def tasks(self) -> list[int]:
        """The identifiers of the step's processes; none before it starts."""
        return [int(n) for n in self._tasks.read_text().split()] if self._tasks.exists() else []

    def kill_task(self, rank: int) -> None:
        """Kill a process of the step, as the kernel does it when memory is short."""
        os.kill(self.tasks()[rank], signal.SIGKILL)

    def signal(self) -> None:
        """Signal the batch script, as `--signal=B:USR1@...` does it before the time limit."""
        self._running.send_signal(signal.SIGUSR1)

    def text(self) -> str:
        """The log of all starts."""
        return self.log.read_text("utf-8") if self.log.exists() else ""

    def steps(self) -> list[list[tuple[int, str]]]:
        """Steps of each start, with the loss and the learning rate as they are printed."""
        parts = re.split(r"^.*: start \d+ on .*$", self.text(), flags=re.MULTILINE)[1:]
        return [[(int(n), f"{a} {b}") for n, a, b in _STEP.findall(part)] for part in parts]

    def whole(self) -> list[str]:
        """Folders of checkpoints that have the marker."""
        return sorted(path.parent.name for path in self.checkpoints.glob("*/.metadata"))

    @property
    def _requeued(self) -> Path:
        return self.folder / "requeued"

    @property
    def _tasks(self) -> Path:
        return self.folder / "tasks"

    @property
    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            raise TrialError("the job was not started")
        return self._process

    def _text(self, tasks_per_node: int, accumulation: int) -> str:
        changes = {
            r"--layers=\d+ --hidden=\d+ --ffn=\d+": SIZES[0],
            r"--heads=\d+ --kv-heads=\d+ --vocab=\d+": SIZES[1],
            r"--seq-len=\d+ --micro-batch=\d+ --accumulation=\d+": SIZES[2].format(
                accumulation=accumulation
            ),
            r"(?m)^RUN_PATH=.*": f"RUN_PATH={self.folder}/run",
            r"--ntasks-per-node=1 \\": f"--ntasks-per-node={tasks_per_node} \\\\",
        }
        text = self._rendered()
        for pattern, new in changes.items():
            text, count = re.subn(pattern, new, text)
            expect(count == 1, f"the rendered file has {pattern} {count} times")
        return text

    def _rendered(self) -> str:
        settings = {
            "steps": STEPS,
            "save_every": SAVE_EVERY,
            "warmup": 2,
            "learning_rate": "3e-3",
            "nodes": 2,
            "data": self.folder.parent / "data/tokens",
            "environment": self._environment,
            "checkpoints": self.checkpoints,
        }
        words = [f"--set={name}={value}" for name, value in settings.items()]
        command = ["-m", "clusterwright", "render", "jobs", SPEC, "--job=fsdp2", *words]
        made = subprocess.run(
            [sys.executable, *command, f"--output={self.folder}"],
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        expect(made.returncode == 0, made.stderr)
        return (self.folder / "fsdp2.sbatch").read_text("utf-8")


def write_tokens(folder: Path) -> int:
    """Write the bytes of this repository's documentation as tokens; return their number."""
    folder.mkdir(parents=True)
    total = 0
    for number, part in enumerate(("how-to", "explanations")):
        pages = sorted((ROOT / "docs" / part).glob("*.md"))
        tokens = array("i", iter(b"\0".join(page.read_bytes() for page in pages)))
        if sys.byteorder == "big":
            tokens.byteswap()
        (folder / f"{number}.bin").write_bytes(tokens.tobytes())
        total += len(tokens)
    return total


def _free_port() -> int:
    """A port that the job derives from its identifier: 10000 to 59999."""
    for port in range(23_000 + os.getpid() % 20_000, 60_000):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) != 0:
                return port
    raise TrialError("no port is free")
