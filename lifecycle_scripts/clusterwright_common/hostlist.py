"""Slurm's host lists, expanded: `a[1-2,05],b` gives a1, a2, a05, b."""

from __future__ import annotations

import re


def expanded(text: str) -> list[str]:
    """Slurm's host list: `a[1-2,05],b` gives a1, a2, a05, b."""
    result: list[str] = []
    for part in _split_outside_brackets(text):
        match = re.match(r"([^\[]*)\[([^\]]*)\](.*)$", part)
        if match is None:
            result.append(part)
            continue
        head, ranges, tail = match.groups()
        tails = expanded(tail) if tail else [""]
        for item in ranges.split(","):
            low, dash, high = item.partition("-")
            numbers = (
                [str(number).zfill(len(low)) for number in range(int(low), int(high) + 1)]
                if dash
                else [low]
            )
            result.extend(head + number + rest for number in numbers for rest in tails)
    return result


def _split_outside_brackets(text: str) -> list[str]:
    return [part for part in re.split(r",(?![^\[]*\])", text) if part]
