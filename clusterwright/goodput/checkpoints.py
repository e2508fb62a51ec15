"""Checkpoints of a run from the folder that they are in.

Source of the names: Megatron-LM `megatron/training/checkpointing.py` (`iter_0000100`,
`latest_checkpointed_iteration.txt`), PyTorch's distributed checkpoint (`.metadata` is written
last), torchtitan (`step-100`), transformers (`checkpoint-100`, `trainer_state.json`), NeMo 2
(`...-step=99-...`), DeepSpeed (`global_step100`, `latest`), and our own (`step-100`,
`MANIFEST.json`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from clusterwright.goodput.attempts import Attempt
from clusterwright.goodput.results import CheckpointFolder
from clusterwright.job_logs import Event

LATEST: Final = "latest_checkpointed_iteration.txt"
"""Megatron-LM writes the step of the last complete checkpoint there."""
LAST_FILES: Final = frozenset({".metadata", "trainer_state.json", "MANIFEST.json"})
"""Of each format, the file that is written when all others are there."""

_NAME: Final = re.compile(
    r"(?:iter_|step[-_]|checkpoint-|global_step)0*(\d{1,12})(?:-last)?"
    r"|.*\bstep=0*(\d{1,12})\b.*"
)


@dataclass(frozen=True)
class Checkpoint:
    """A complete checkpoint: the steps that it has, and when its last file was written."""

    step: int
    written: float


def step_of(name: str) -> int | None:
    """The step in the name of a checkpoint's folder; None if it is none.

    NeMo numbers steps from 0, so that its `step=99` has 100 steps.
    """
    match = _NAME.fullmatch(name)
    if match is None:
        return None
    if match.group(2) is not None:
        return int(match.group(2)) + 1
    return int(match.group(1))


def is_complete(name: str, files: Collection[str], latest: int | None) -> bool:
    """Whether a folder has the whole checkpoint.

    Parameters
    ----------
    files:
        Paths of its files relative to it.
    latest:
        What LATEST beside it states; it decides about the older form of Megatron-LM, which has no
        file that is written last.
    """
    if any(path.rpartition("/")[2] in LAST_FILES for path in files):
        return True
    step = step_of(name)
    return bool(files) and latest is not None and step is not None and step <= latest


def add_saves(attempts: Sequence[Attempt], checkpoints: Iterable[Checkpoint]) -> None:
    """Add the end of each save to the attempt in whose time it lies.

    Only where no log states a save: the folder says when a save ended, not how long it took.
    """
    if any(e.kind in ("save_begin", "save_end") for a in attempts for e in a.events):
        return
    for checkpoint in sorted(checkpoints, key=lambda one: one.written):
        for attempt in attempts:
            times = attempt.times
            if attempt.relative or not times or not times[0] <= checkpoint.written <= times[-1]:
                continue
            index = next(
                i for i, t in enumerate(attempt.at) if t is not None and t >= checkpoint.written
            )
            event = Event("save_end", time=checkpoint.written, step=checkpoint.step)
            attempt.events.insert(index, event)
            attempt.at.insert(index, checkpoint.written)
            break


def folder_result(
    attempts: Sequence[Attempt], checkpoints: Sequence[Checkpoint]
) -> CheckpointFolder:
    """What the folder says of the run: its newest checkpoint, and steps that none has."""
    if not checkpoints:
        return CheckpointFolder(0, None, None, None)
    newest = max(checkpoints, key=lambda one: one.step)
    done = [step for attempt in attempts if (step := attempt.last_step) is not None]
    unsaved = max(0, done[-1] - newest.step) if done else None
    return CheckpointFolder(len(checkpoints), newest.step, newest.written, unsaved)
