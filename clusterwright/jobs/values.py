"""Values of options: times, counts of nodes, memory, generic resources.

Forms: sbatch(1), options --time, --nodes, --mem, --gres, --gpus-per-node.
"""

from __future__ import annotations

import re
from typing import Final

_CLOCK: Final = re.compile(r"(?:(\d+)-)?(\d+)(?::(\d+))?(?::(\d+))?")
_NODES: Final = re.compile(r"(\d+)([kKmM]?)(?:-(\d+)([kKmM]?))?(?::(\d+))?")
_MEMORY: Final = re.compile(r"(\d+)([kKmMgGtT]?)(?:[bB])?")
_THOUSANDS: Final = {"": 1, "k": 1024, "m": 1024**2}
_MIB: Final = {"k": 1 / 1024, "": 1, "m": 1, "g": 1024, "t": 1024**2}
_TASKS: Final = re.compile(r"\[?\s*(\d+)\]?(?:-(\d+)\]?(?::(\d+)\]?)?)?(?:%.*)?")
_MOST_TASKS: Final = 10_000
_UNLIMITED: Final = ("infinite", "unlimited", "-1", "0")


def minutes(text: str) -> float | None:
    """Minutes of a time limit: `90`, `1:30:00`, `2-0`, `2-12:30`; infinity without a limit.

    Raises
    ------
    ValueError
        Slurm refuses the text.
    """
    if text.lower() in _UNLIMITED:
        return float("inf")
    match = _CLOCK.fullmatch(text)
    if match is None or len(text) > 20:
        raise ValueError(text)
    days, first, second, third = match.groups()
    if days is not None:
        hours, middle, last = int(first), int(second or 0), int(third or 0)
        return int(days) * 1440 + hours * 60 + middle + last / 60
    if third is not None:
        return int(first) * 60 + int(second) + int(third) / 60
    return int(first) + int(second or 0) / 60


def nodes(text: str) -> tuple[int, int]:
    """Smallest and largest number of nodes: `4`, `2-8`; of a list (`2,4,8`) the extremes.

    Raises
    ------
    ValueError
        Slurm refuses the text.
    """
    low, high = [], []
    for part in text.split(","):
        match = _NODES.fullmatch(part)
        if match is None or len(part) > 20:
            raise ValueError(text)
        first = int(match.group(1)) * _THOUSANDS[match.group(2).lower()]
        last = first
        if match.group(3):
            last = int(match.group(3)) * _THOUSANDS[match.group(4).lower()]
        if last < first:
            raise ValueError(text)
        low.append(first)
        high.append(last)
    return min(low), max(high)


def memory_mib(text: str) -> float:
    """Memory in MiB: `2000`, `64G`; 0 is all the memory of a node.

    Raises
    ------
    ValueError
        Slurm refuses the text.
    """
    match = _MEMORY.fullmatch(text)
    if match is None or len(text) > 20:
        raise ValueError(text)
    return int(match.group(1)) * _MIB[match.group(2).lower()]


def whole(text: str) -> int | None:
    """A whole number, or None."""
    return int(text) if re.fullmatch(r"\d{1,9}", text) else None


def array_ranges(text: str) -> tuple[tuple[int, int, int], ...]:
    """First index, end and step of each part of `--array`, as slurmctld reads it.

    `0-9:4%2` is (0, 9, 4), whose last task is 8. Brackets, and what follows `%` in a part, are
    left out. Source: SchedMD/slurm, slurm_parse_array_tok (src/common/slurm_protocol_defs.c,
    26.05).

    Raises
    ------
    ValueError
        Slurm refuses the text, whatever MaxArraySize is.
    """
    found = []
    for part in filter(None, text.split(",")):
        match = _TASKS.fullmatch(part)
        if match is None:
            raise ValueError(text)
        first = int(match.group(1))
        last = int(match.group(2) or first)
        step = int(match.group(3) or 1)
        if last < first or step < 1:
            raise ValueError(text)
        found.append((first, last, step))
    if not found:
        raise ValueError(text)
    return tuple(found)


def array_tasks(text: str) -> int | None:
    """Tasks of `--array`, at most 10,000: 4 of `0-3`, 2 of `1,3%1`, 1 of `1-10:20`.

    None if it is another text.
    """
    ranges = _ranges(text)
    if ranges is None:
        return None
    found: set[int] = set()
    for first, last, step in ranges:
        if len(found) + (last - first) // step + 1 > _MOST_TASKS:
            return _MOST_TASKS
        found.update(range(first, last + 1, step))
    return len(found)


def array_limits(text: str) -> tuple[int, int] | None:
    """Smallest and largest task of `--array`: 0 and 8 of `0-9:4`; None if it is another text."""
    ranges = _ranges(text)
    if ranges is None:
        return None
    return (
        min(first for first, _, _ in ranges),
        max(last - (last - first) % step for first, last, step in ranges),
    )


def array_at_once(text: str) -> int | None:
    """How many tasks of `--array` run at once, 2 of `0-9%2`; None without a limit."""
    limit = re.search(r"%(\d{1,9})", text)
    return int(limit.group(1)) if limit else None


def _ranges(text: str) -> tuple[tuple[int, int, int], ...] | None:
    try:
        return array_ranges(text)
    except ValueError:
        return None


def resources(text: str) -> list[tuple[str, str, int | None]]:
    """Name, type and count of `gpu:8`, `gpu:h100:8,tmpdisk:1`; a missing count is 1."""
    found = []
    for part in text.split(","):
        words = part.partition("(")[0].removeprefix("gres/").split(":")
        last = words[-1]
        count = whole(last) if len(words) > 1 else 1
        names = words[:-1] if len(words) > 1 and count is not None else words
        kind = names[1] if len(names) > 1 else ""
        found.append((names[0], kind, 1 if count is None and not dynamic(last) else count))
    return found


def gpus(text: str) -> tuple[str, int | None]:
    """Type and count of `--gpus-per-node=h100:8`; the count is None if it is not a number."""
    kind, colon, count = text.rpartition(":")
    return (kind if colon else "", whole(count))


def dynamic(text: str) -> bool:
    """Return whether a variable or an expansion determines the value, not the text alone."""
    return "$" in text or "{" in text
