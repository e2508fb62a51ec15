"""Compressed host lists of Slurm: `a1,a2,a3` as `a[1-3]`.

A cluster of ten thousand nodes has a line of a few hundred characters this way, and slurmctld
reads one line of a thousand nodes faster than a thousand lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

_PARTS = re.compile(r"(.*?)([0-9]+)$")
_LARGEST_RUN = 60_000
"""The maximum of names in one bracket is 64 Ki (MAX_RANGE, hostlist.c)."""


def compressed(names: Iterable[str]) -> str:
    """`names` as one host list, each name once, in the order of prefixes and numbers."""
    by_prefix: dict[tuple[str, int], list[int]] = {}
    plain = []
    for name in sorted(set(names)):
        parts = _split(name)
        if parts is None:
            plain.append(name)
        else:
            prefix, number, width = parts
            by_prefix.setdefault((prefix, width), []).append(number)
    found = list(plain)
    for (prefix, width), numbers in sorted(by_prefix.items()):
        found.extend(_bracketed(prefix, width, sorted(numbers)))
    return ",".join(found)


def paired(pairs: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Pairs of name and address as few pairs of host lists that expand in the same order.

    Pairs whose name and address end in the same number, as `ip-10-1-0-31` and `10.1.0.31`, are
    merged; others are not.
    """
    together: dict[tuple[str, str], list[int]] = {}
    alone = []
    for name, address in pairs:
        mine, theirs = _split(name), _split(address)
        if mine and theirs and mine[1:] == (theirs[1], 0) and theirs[2] == 0:
            together.setdefault((mine[0], theirs[0]), []).append(mine[1])
        else:
            alone.append((name, address))
    found: list[tuple[str, str]] = []
    for (name_prefix, address_prefix), numbers in sorted(together.items()):
        ordered = sorted(numbers)
        found.extend(
            zip(_bracketed(name_prefix, 0, ordered), _bracketed(address_prefix, 0, ordered))
        )
    return found + sorted(alone)


def _split(name: str) -> tuple[str, int, int] | None:
    """Prefix, number and the number's width where it has leading zeros, else 0."""
    match = _PARTS.match(name)
    if match is None:
        return None
    prefix, digits = match.groups()
    return prefix, int(digits), len(digits) if digits.startswith("0") and digits != "0" else 0


def _bracketed(prefix: str, width: int, numbers: Sequence[int]) -> Iterator[str]:
    if len(numbers) == 1:
        yield prefix + str(numbers[0]).zfill(width)
        return
    for start in range(0, len(numbers), _LARGEST_RUN):
        runs = _runs(numbers[start : start + _LARGEST_RUN])
        texts = (
            str(first).zfill(width)
            if first == last
            else f"{str(first).zfill(width)}-{str(last).zfill(width)}"
            for first, last in runs
        )
        yield "{}[{}]".format(prefix, ",".join(texts))


def _runs(numbers: Sequence[int]) -> list[tuple[int, int]]:
    runs: list[tuple[int, int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1] = (runs[-1][0], number)
        else:
            runs.append((number, number))
    return runs
