"""Problems of a spec, with file, line, column and hint."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

MAXIMUM_LISTED = 101
"""Problems in one error: the first 100, and one that states that there are more."""

_LONGEST_TEXT = 1000
"""Characters of a message, which may quote a value of the file."""

Path = tuple[str | int, ...]
"""Path of a value: `("compute", 2, "count")`."""


@dataclass(frozen=True)
class Position:
    """A position in a file: lines and columns count from 1, `length` is in characters."""

    file: str
    line: int
    column: int
    length: int = 1
    source_line: str = ""


@dataclass(frozen=True)
class Problem:
    """A mistake, described in a sentence without a final full stop.

    `path` is the path of the value (or, with `on_key`, of its key; with `missing_key`, of the
    missing key); the reader of the file converts it to a `position`. `note` describes a second
    position that contradicts the first; `other_path` is its path. `rests_on` has further values
    that the problem depends on: if one of them is wrong, the problem is not reported.
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
        """Return the same problem with a position in a file."""
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
    """The spec cannot be used; `problems` has the reasons, in the order of the file.

    At most `MAXIMUM_LISTED`, with messages of bounded length.
    """

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems: tuple[Problem, ...] = tuple(_bounded(_ordered(problems)))
        super().__init__("\n".join(str(problem) for problem in self.problems))

    def __iter__(self) -> Iterator[Problem]:
        return iter(self.problems)


def printable(text: str, *, keep: str = "\t") -> str:
    """Return text without characters that would move a terminal's cursor or end the line.

    A spec, a file name or an answer of AWS may contain them. `keep` are control characters that
    stay.
    """
    if text.isprintable():
        return text
    # A review prints megabytes: look at each character once, not at each of its places.
    moving = {c for c in set(text) if not c.isprintable() and c not in keep}
    return text.translate(dict.fromkeys(map(ord, moving), "\N{REPLACEMENT CHARACTER}"))


def path_text(path: Sequence[str | int]) -> str:
    """Return `("compute", 2, "count")` as text: `compute[2].count`."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            text += f".{part}" if text else part
    return text


def overlap(one: Path, other: Path) -> bool:
    """Return whether the paths are equal or one is a prefix of the other."""
    shared = min(len(one), len(other))
    return one[:shared] == other[:shared]


def _bounded(problems: list[Problem]) -> Iterator[Problem]:
    listed = problems if len(problems) <= MAXIMUM_LISTED else problems[: MAXIMUM_LISTED - 1]
    for problem in listed:
        yield (
            problem
            if len(problem.message) <= _LONGEST_TEXT
            else replace(problem, message=f"{problem.message[:_LONGEST_TEXT]}...")
        )
    if len(listed) < len(problems):
        left = len(problems) - len(listed)
        yield replace(
            problems[len(listed)],
            message=f"and {left:,} more problems",
            hint="correct the first ones, then run it again",
            note=None,
        )


def _ordered(problems: Iterable[Problem]) -> list[Problem]:
    # Several checks can find one mistake: report it once, in the order of the file.
    unique = {(p.message, p.path, p.position): p for p in problems}
    return sorted(unique.values(), key=_place)


def _place(problem: Problem) -> tuple[str, int, int]:
    position = problem.position
    return (position.file, position.line, position.column) if position else ("", 0, 0)
