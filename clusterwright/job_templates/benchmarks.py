"""The command lines of the benchmarks that acceptance runs, for the job files of bring-up.

`benchmarks.json` is that of the node program's package `clusterwright_acceptance`;
`python -m tools.docs benchmarks` copies it.
"""

from __future__ import annotations

import json
import textwrap
from functools import cache
from pathlib import Path
from typing import Any, Final

_TABLE: Final = Path(__file__).with_name("benchmarks.json")
_WIDTH: Final = 88


def place(program: str) -> str:
    """Return the place where acceptance looks first for a program."""
    return str(_row(program)["places"][0])


def default(program: str, value: str) -> str:
    """Return the value that acceptance uses for one of the names in the arguments."""
    return str(_row(program)["defaults"][value])


def arguments(program: str, **values: object) -> str:
    """Return the arguments of a program as text of a shell, on continued lines.

    `values` may be variables of the shell, quoted. Raises KeyError if a value without a default is
    missing.
    """
    row = _row(program)
    given = {**row["defaults"], **values}
    words = [word.format(**given) for word in str(row["arguments"]).split()]
    lines = textwrap.wrap(" ".join(words), _WIDTH, break_long_words=False, break_on_hyphens=False)
    return " \\\n  ".join(lines)


@cache
def _table() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = json.loads(_TABLE.read_text("utf-8"))["programs"]
    return found


def _row(program: str) -> dict[str, Any]:
    return _table()[program]
