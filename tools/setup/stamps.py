"""Determines which steps are current: a stamp hashes the inputs of a step and those before it."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tools.setup.errors import SetupError
from tools.setup.paths import ROOT, VENV

_STAMPS = VENV / ".setup"
_RUNNING = ROOT / ".clusterwright" / "setup.begun"


@dataclass(frozen=True)
class Step:
    """One step of the set-up.

    `inputs` returns what the step depends on; when it changes, this step and all later ones run
    again. `outputs` must exist for the step to count as done, so that a deleted file is
    restored. `run` raises SetupError. A `fragile` step that is killed may leave an incomplete
    package that looks complete; then everything is rebuilt.
    """

    name: str
    title: str
    inputs: Callable[[], Sequence[bytes]]
    outputs: Callable[[], Sequence[Path]]
    run: Callable[[], None]
    fragile: bool = False


def first_outdated(steps: Sequence[Step]) -> int:
    """Return the index of the first step to run; `len(steps)` when all are current."""
    for index, (step, digest) in enumerate(zip(steps, _digests(steps), strict=True)):
        stamp = _stamp(step)
        if not stamp.is_file() or stamp.read_text() != digest:
            return index
        if not all(path.exists() for path in step.outputs()):
            return index
    return len(steps)


def record(steps: Sequence[Step], index: int) -> None:
    """Record that `steps[index]` is done."""
    _STAMPS.mkdir(exist_ok=True)
    _stamp(steps[index]).write_text(_digests(steps)[index])


@contextlib.contextmanager
def running(step: Step) -> Iterator[None]:
    """Mark a fragile step while it runs; the mark is removed unless the process is killed."""
    if step.fragile:
        _RUNNING.parent.mkdir(exist_ok=True)
        _RUNNING.write_text(step.name)
    try:
        yield
    except SetupError:
        _RUNNING.unlink(missing_ok=True)
        raise
    _RUNNING.unlink(missing_ok=True)


def was_interrupted() -> bool:
    """Return whether the last set-up was killed in a fragile step."""
    return _RUNNING.exists()


def forget_interruption() -> None:
    """Remove the mark, because the environment was removed with the incomplete step."""
    _RUNNING.unlink(missing_ok=True)


def made_here() -> bool:
    """Return whether this set-up created the environment, finished or not."""
    return _STAMPS.is_dir()


def _stamp(step: Step) -> Path:
    return _STAMPS / f"{step.name}.stamp"


def _digests(steps: Sequence[Step]) -> list[str]:
    chain = hashlib.sha256()
    digests = []
    for step in steps:
        chain.update(step.name.encode())
        for part in step.inputs():
            chain.update(len(part).to_bytes(8, "big") + part)
        digests.append(chain.copy().hexdigest())
    return digests
