"""Problems of a spec, with file, line, column and hint."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

Path = tuple[str | int, ...]
"""Where a value stands: `("compute", 2, "count")`."""


@dataclass(frozen=True)
class Position:
    """A place in a file: lines and columns count from 1, `length` in characters (at least 1)."""

    file: str
    line: int
    column: int
    length: int = 1
    source_line: str = ""


@dataclass(frozen=True)
class Problem:
    """A mistake, described in a sentence without a final full stop.

    `path` leads to the value (or, with `on_key`, to its key; with `missing_key`, to where it
    should be); the reader of the file turns it into a `position`. `note` points at a second place,
    where two places contradict each other; `other_path` is that place as a path. `rests_on` names
    further values that the problem follows from: where one is wrong itself, it is not said.
    """

    message: str
    path: Path = ()
    hint: str | None = None
    on_key: bool = False
    note: str | None = None
    position: Position | None = None
    other_path: Path | None = None
    missing_key: bool = False
    rests_on: tuple[Path, ...] = ()

    def at(self, position: Position | None) -> Problem:
        """The same problem at a place in a file."""
        return replace(self, position=position)

    def __str__(self) -> str:
        where = (
            f"{self.position.file}:{self.position.line}:{self.position.column}: "
            if self.position
            else ""
        )
        note = f" ({self.note})" if self.note else ""
        hint = f"\n  hint: {self.hint}" if self.hint else ""
        return f"{where}{self.message}{note}{hint}"


class SpecErrors(Exception):
    """The spec cannot be used; `problems` holds every reason, in the order of the file."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems: tuple[Problem, ...] = tuple(_ordered(problems))
        super().__init__("\n".join(str(problem) for problem in self.problems))

    def __iter__(self) -> Iterator[Problem]:
        return iter(self.problems)


def path_text(path: Sequence[str | int]) -> str:
    """`("compute", 2, "count")` as people write it: `compute[2].count`."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            text += f".{part}" if text else part
    return text


def overlap(one: Path, other: Path) -> bool:
    """Whether the two paths are the same or one leads through the other."""
    shared = min(len(one), len(other))
    return one[:shared] == other[:shared]


def _ordered(problems: Iterable[Problem]) -> list[Problem]:
    # One mistake can be found by several checks: say it once, in the order of the file.
    unique = {(p.message, p.path, p.position): p for p in problems}
    return sorted(unique.values(), key=_place)


def _place(problem: Problem) -> tuple[str, int, int]:
    position = problem.position
    return (position.file, position.line, position.column) if position else ("", 0, 0)
