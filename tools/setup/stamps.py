"""Which steps are current: a stamp hashes all that the step and those before it read."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tools.setup.errors import SetupError
from tools.setup.paths import ROOT, VENV

_STAMPS = VENV / ".setup"
_BEGUN = ROOT / ".clusterwright" / "setup.begun"


@dataclass(frozen=True)
class Step:
    """One step of the set-up.

    `inputs` returns what the step depends on; when it changes, this step and all later ones run
    again. `outputs` must exist for the step to count as done, so that a file deleted by hand
    comes back. `run` raises SetupError. A `fragile` step that is killed may leave half a package
    that looks whole; then everything is built anew.
    """

    name: str
    title: str
    inputs: Callable[[], Sequence[bytes]]
    outputs: Callable[[], Sequence[Path]]
    run: Callable[[], None]
    fragile: bool = False


def first_outdated(steps: Sequence[Step]) -> int:
    """Index of the first step to run; `len(steps)` when all are current."""
    for index, (step, digest) in enumerate(zip(steps, _digests(steps), strict=True)):
        stamp = _stamp(step)
        if not stamp.is_file() or stamp.read_text() != digest:
            return index
        if not all(path.exists() for path in step.outputs()):
            return index
    return len(steps)


def record(steps: Sequence[Step], index: int) -> None:
    """Note that `steps[index]` is done."""
    _STAMPS.mkdir(exist_ok=True)
    _stamp(steps[index]).write_text(_digests(steps)[index])


@contextlib.contextmanager
def begun(step: Step) -> Iterator[None]:
    """Remember a fragile step while it runs; an orderly end, also a failure, forgets it."""
    if step.fragile:
        _BEGUN.parent.mkdir(exist_ok=True)
        _BEGUN.write_text(step.name)
    try:
        yield
    except SetupError:
        _BEGUN.unlink(missing_ok=True)
        raise
    _BEGUN.unlink(missing_ok=True)


def was_cut_off() -> bool:
    """Whether the last set-up was killed in a fragile step."""
    return _BEGUN.exists()


def forget_cut_off() -> None:
    """The environment is gone, and with it what was half done."""
    _BEGUN.unlink(missing_ok=True)


def made_here() -> bool:
    """Whether the environment, finished or not, was begun by this set-up."""
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
