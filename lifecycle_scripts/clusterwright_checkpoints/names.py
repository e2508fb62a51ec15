"""Names in a folder of checkpoints."""

from __future__ import annotations

import re

COMPLETE = "COMPLETE"
MANIFEST = "MANIFEST.json"
PARTIAL = ".partial"
LATEST = "latest"
_NODE_MANIFEST = re.compile(r"\.manifest\.(.+)\.json")
_ATTEMPT = re.compile(r"[A-Za-z0-9_-]{1,64}")
_STEP = re.compile(r"[A-Za-z0-9][A-Za-z0-9._=-]{0,127}")


def is_step(name: str) -> bool:
    """Whether a folder may be a checkpoint: a plain name that this program does not use."""
    return _STEP.fullmatch(name) is not None and not name.endswith(PARTIAL) and name != LATEST


def is_attempt(word: str) -> bool:
    """Whether a text is a valid name of an attempt."""
    return _ATTEMPT.fullmatch(word) is not None


def partial(step: str, attempt: str) -> str:
    """The folder of a checkpoint until it is complete, one for each attempt."""
    return f"{step}@{attempt}{PARTIAL}"


def step_of_partial(name: str) -> str | None:
    """The checkpoint of such a folder; None for other folders."""
    if not name.endswith(PARTIAL):
        return None
    step, at, attempt = name[: -len(PARTIAL)].rpartition("@")
    return step if at and is_step(step) and is_attempt(attempt) else None


def node_manifest(node: str) -> str:
    return f".manifest.{node}.json"


def is_node_manifest(name: str) -> bool:
    return _NODE_MANIFEST.fullmatch(name) is not None


def order(step: str) -> tuple[tuple[int, int, str], ...]:
    """A key that sorts step-9 before step-10, and step-10 before step-10-final."""
    return tuple(
        (0, int(part), "") if part.isdigit() else (1, 0, part)
        for part in re.findall(r"[0-9]+|[^0-9]+", step)
    )
