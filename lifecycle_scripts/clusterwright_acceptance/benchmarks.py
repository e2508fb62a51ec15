"""The command lines of the benchmarks: the job files of `render jobs` have the same.

`benchmarks.json` has what decides a figure, once: the arguments with their values by name, the
defaults of values, and the usual places of the programs. What only decides where a result goes is
added by its caller.
"""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import Any


@lru_cache(maxsize=1)
def table() -> dict[str, dict[str, Any]]:
    """The programs by name."""
    path = Path(__file__).with_name("benchmarks.json")
    found: dict[str, dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["programs"]
    return found


def places(program: str) -> tuple[str, ...]:
    """Usual places of a program that is not on the search path."""
    return tuple(table()[program]["places"])


def arguments(program: str, **values: object) -> list[str]:
    """The arguments of a program. Raises KeyError if a value without a default is missing."""
    row = table()[program]
    given = {**row["defaults"], **values}
    return [word.format(**given) for word in str(row["arguments"]).split()]
