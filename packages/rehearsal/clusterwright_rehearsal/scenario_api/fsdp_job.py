"""The job `fsdp2` of `clusterwright render jobs` on the rehearsed cluster, with small sizes.

The file is the rendered one: only the sizes of the model, of the batch and of the run are others.
PyTorch is Debian's (`PACKAGES`), which communicates with gloo where there are no GPUs. That of
trixie, 2.6, shards no model on CPUs: torch.cpu.Stream has no record_event, and FSDP changes
weights that the backward pass needs.
"""

from __future__ import annotations

import datetime as dt
import itertools
import re
import shlex
import sys
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from clusterwright.catalog import load_catalog
from clusterwright.job_templates.registry import template_named
from clusterwright.job_templates.rendering import render
from clusterwright_rehearsal.scenario_api.context import ScenarioContext
from clusterwright_rehearsal.scenario_api.job import Job
from clusterwright_rehearsal.scenario_api.outcomes import Broken

PACKAGES: Final = ("python3-torch",)
OLDEST: Final = (2, 7)
"""The first release of PyTorch whose FSDP2 trains on CPUs is not known; 2.6 is too old."""
NODES: Final = 4
STEPS: Final = 40
SAVE_EVERY: Final = 10
_TEXT: Final = Path(__file__).parents[1] / "training_text.txt"
_SIZES: Final = {
    r"--layers=\d+ --hidden=\d+ --ffn=\d+": "--layers=2 --hidden=128 --ffn=256",
    r"--heads=\d+ --kv-heads=\d+ --vocab=\d+": "--heads=4 --kv-heads=2 --vocab=256",
    r"--seq-len=\d+ --micro-batch=\d+ --accumulation=\d+": (
        "--seq-len=64 --micro-batch=1 --accumulation=1"
    ),
}
PARAMETERS: Final = 361_088
"""Of the model with these sizes: embedding and output have 2 x 256 x 128; a layer 2 x 128 x 128
(queries, output), 2 x 128 x 64 (keys, values), 3 x 128 x 256 and two norms; then comes a norm."""
FLOPS_PER_TOKEN: Final = 6 * PARAMETERS
TOKENS_PER_STEP: Final = NODES * 64
"""One GPU a node, with a micro-batch of one sequence."""
PEAK_TFLOPS: Final = 1.0
"""Of an accelerator, as the plan below says: the emulated ones compute nothing."""
# One thread: the nodes share the processors of one host. Debian's PyTorch has no libuv.
_ENVIRONMENT: Final = "OMP_NUM_THREADS=1,USE_LIBUV=0"
_STEP: Final = re.compile(r"step: (\d+)  loss: (\S+)  lr: (\S+)")
_START: Final = re.compile(r"^.*: start \d+ on .*newest whole checkpoint: (-?\d+)$", re.MULTILINE)


def with_small_sizes(text: str) -> str:
    """The rendered file with other sizes. Raises `Broken` unless it has each of them once."""
    for pattern, sizes in _SIZES.items():
        text, count = re.subn(pattern, sizes, text)
        if count != 1:
            raise Broken(f"the rendered file has {pattern} {count} times")
    return text


def plan_document(instance_type: str) -> dict[str, Any]:
    """A plan of this model, as far as `report goodput` reads it."""
    tokens = TOKENS_PER_STEP * STEPS
    return {
        "command": "plan",
        "tokens": tokens,
        "training_flops": tokens * FLOPS_PER_TOKEN,
        "estimate": {"accelerators": NODES, "mfu_peak_tflops": PEAK_TFLOPS},
        "candidates": [{"chosen": True, "instance_type": instance_type}],
    }


def mfu(steps: int, seconds: float) -> float:
    """The MFU of so many steps in so many seconds."""
    return steps * TOKENS_PER_STEP * FLOPS_PER_TOKEN / (seconds * NODES * PEAK_TFLOPS * 1e12)


def byte_tokens(text: bytes) -> bytes:
    """A token of 32 bits, little-endian, for each byte: what the program reads."""
    tokens = array("i", iter(text))
    if sys.byteorder == "big":
        tokens.byteswap()
    return tokens.tobytes()


@dataclass(frozen=True)
class Start:
    """What the log has of one start of the job."""

    resumed_at: int
    """The newest whole checkpoint; -1 without one."""
    curve: tuple[tuple[int, str], ...]
    """Steps, each with its loss and learning rate as they are printed."""
    text: str

    @property
    def last(self) -> int:
        """Its last step; without steps the one that it resumed at."""
        return self.curve[-1][0] if self.curve else max(self.resumed_at, 0)


def starts_of(log: str) -> list[Start]:
    """The starts in a job's log."""
    found = list(_START.finditer(log))
    ends = [*(match.start() for match in found[1:]), len(log)][: len(found)]
    starts = []
    for match, end in zip(found, ends, strict=True):
        text = log[match.start() : end]
        curve = tuple((int(n), f"{loss} {rate}") for n, loss, rate in _STEP.findall(text))
        starts.append(Start(int(match.group(1)), curve, text))
    return starts


def lost_steps(starts: Sequence[Start]) -> int:
    """Steps that were made again, because a start resumed before the last step of another."""
    return sum(
        before.last - max(after.resumed_at, 0) for before, after in itertools.pairwise(starts)
    )


def require_pytorch(context: ScenarioContext) -> None:
    """Skip the scenario if PyTorch on the nodes is too old to shard a model on CPUs."""
    shown = context.compute[0].must("dpkg-query --show --showformat='${Version}' python3-torch")
    numbers = re.match(r"(\d+)\.(\d+)", shown)
    if numbers is None or (int(numbers[1]), int(numbers[2])) < OLDEST:
        context.skip(f"PyTorch {shown} shards no model on CPUs: use --slurm forky")


class FsdpRun:
    """A run in a folder of its own, which several jobs can continue.

    Parameters
    ----------
    name:
        Of the run; it must not have been used on this cluster.
    """

    def __init__(self, context: ScenarioContext, name: str) -> None:
        self._context = context
        self.name = name
        self.folder = f"{context.shared_folder}/{name}"
        self.checkpoints = f"{self.folder}/checkpoints"
        self.jobs: list[Job] = []

    def prepare(self) -> None:
        """Create its folder, the tokens and the Python environment, as a user would."""
        context = self._context
        data, environment = f"{self._base}/tokens", f"{self._base}/environment"
        context.controller.must(
            f"mkdir -p {data} {self.checkpoints} && chmod -R a+rwX {self._base} {self.folder}"
            f" && test -x {environment}/bin/python"
            f" || python3 -m venv --system-site-packages --without-pip {environment}"
        )
        (context.host_path(data) / "text.bin").write_bytes(byte_tokens(_TEXT.read_bytes()))

    def submit(self, **settings: str) -> Job:
        """Render the job file for this cluster, and submit it with more settings."""
        context = self._context
        given = {
            "run": self.name,
            "nodes": str(NODES),
            "steps": str(STEPS),
            "save_every": str(SAVE_EVERY),
            "warmup": "4",
            "learning_rate": "3e-3",
            "data": f"{self._base}/tokens",
            "environment": f"{self._base}/environment",
            "checkpoints": self.checkpoints,
            **settings,
        }
        text = with_small_sizes(self._rendered(given))
        job = context.submit(
            text.removeprefix("#!/bin/bash\n"),
            nodes=NODES,
            options=[f"--export=ALL,{_ENVIRONMENT}"],
            folder=self.folder,
        )
        self.jobs.append(job)
        return job

    def log(self, job: Job) -> str:
        """The log of one of its jobs, read on this host; empty before the job starts."""
        found = list(self._on_host.glob(f"job-*-{job.id}.out"))
        return found[0].read_text("utf-8", "replace") if found else ""

    def starts(self, job: Job) -> list[Start]:
        """The starts of one of its jobs."""
        return starts_of(self.log(job))

    def all_starts(self) -> list[Start]:
        """The starts of all its jobs."""
        return [start for job in self.jobs for start in self.starts(job)]

    def whole(self) -> int:
        """The step of its newest whole checkpoint; 0 without one."""
        found = [
            int(path.parent.name.removeprefix("step-"))
            for path in (self._on_host / "checkpoints").glob("step-*/.metadata")
            if path.parent.name.removeprefix("step-").isdigit()
        ]
        return max(found, default=0)

    def is_saving(self) -> bool:
        """Whether a checkpoint is being written: it has files, and no final name."""
        return any((self._on_host / "checkpoints").glob("step-*.part/*.json"))

    def curve_differences(self, reference: Mapping[int, str]) -> list[str]:
        """Steps of which loss or learning rate differ from those of another run."""
        return [
            f"step {step}: {text}, not {reference.get(step)}"
            for start in self.all_starts()
            for step, text in start.curve
            if reference.get(step) != text
        ]

    def clean_up(self) -> None:
        """Cancel its jobs and remove its folder."""
        for job in self.jobs:
            job.cancel()
        self._context.controller.run(f"rm -rf {shlex.quote(self.folder)}")

    @property
    def _base(self) -> str:
        return f"{self._context.shared_folder}/training"

    @cached_property
    def _on_host(self) -> Path:
        return self._context.host_path(self.folder)

    def _rendered(self, given: Mapping[str, str]) -> str:
        now = dt.datetime.now(dt.UTC)
        template = template_named("fsdp2")
        return render(self._context.cluster, load_catalog(), template, given, None, now).text
