"""The positions of statements in the text of a policy, as the policy simulator shows them.

AWS counts lines and columns from 1, and a position is the one after the brace: the CLI's own
example has a statement whose `{` is the 37th sign of its line at column 38
(https://docs.aws.amazon.com/cli/latest/reference/iam/simulate-custom-policy.html).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from json import scanner


@dataclass(frozen=True)
class Position:
    """Line and column, from 1, after an opening or a closing brace."""

    line: int
    column: int


Span = tuple[Position, Position]


def statement_spans(text: str) -> list[Span]:
    """Return start and end of each statement of a document that is valid JSON, in order."""
    members = dict(_members(text, _skip(text, 0)))
    start = members.get("Statement")
    if start is None:
        return []
    begins = [start] if text[start] == "{" else list(_items(text, start))
    return [(_position(text, at), _position(text, _end(text, at) - 1)) for at in begins]


_scan = scanner.py_make_scanner(json.JSONDecoder())  # type: ignore[attr-defined]


def _end(text: str, at: int) -> int:
    end: int = _scan(text, at)[1]
    return end


def _skip(text: str, at: int) -> int:
    while text[at] in " \t\n\r":
        at += 1
    return at


def _members(text: str, at: int) -> Iterator[tuple[str, int]]:
    """The names of an object's members, and where each value begins."""
    at = _skip(text, at + 1)
    while text[at] != "}":
        name, at = _scan(text, at)
        at = _skip(text, _skip(text, at) + 1)
        yield name, at
        at = _skip(text, _end(text, at))
        if text[at] == ",":
            at = _skip(text, at + 1)


def _items(text: str, at: int) -> Iterator[int]:
    at = _skip(text, at + 1)
    while text[at] != "]":
        yield at
        at = _skip(text, _end(text, at))
        if text[at] == ",":
            at = _skip(text, at + 1)


def _position(text: str, at: int) -> Position:
    line_start = text.rfind("\n", 0, at) + 1
    return Position(text.count("\n", 0, at) + 1, at - line_start + 2)
