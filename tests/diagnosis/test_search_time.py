"""Expressions for errors of programs search a line in a time that its repetitions do not raise.

A gap of any text is tried at each of its ends for each end of the gap before it, so that gaps, and
places where a match may begin, multiply. Lookaheads (`writer.fields`) are tried once.
"""

from __future__ import annotations

import importlib
import re
from typing import Any

import pytest

from clusterwright.diagnosis import parts_agents, parts_dcgm, parts_eks
from clusterwright.diagnosis.statements import FORMS
from clusterwright.diagnosis.writer import fields

_MOST = 2
_LONG = 100
_WRITERS = (*parts_agents.WRITERS, *parts_dcgm.WRITERS, *parts_eks.WRITERS)


def _is_any(item: Any) -> bool:
    """Whether an item is a character of any text, as `.` and `[^\\n]`."""
    (operation, argument), *others = item
    if others:
        return False
    return str(operation) == "ANY" or (str(operation), argument) == ("NOT_LITERAL", ord("\n"))


def _gaps(sequence: Any, repeated: bool = False) -> int:
    """Gaps of a sequence; within a group that is repeated, short ones count too."""
    total = 0
    for operation, argument in sequence:
        name = str(operation)
        if name in ("MAX_REPEAT", "MIN_REPEAT"):
            _, most, item = argument
            if _is_any(item):
                total += most > _LONG or repeated
            else:
                total += min(int(most), 4) * _gaps(item, repeated=most > 1)
        elif name == "SUBPATTERN":
            total += _gaps(argument[-1], repeated)
        elif name == "BRANCH":
            total += max(_gaps(branch, repeated) for branch in argument[1])
    return total


def _ends_with_all(sequence: Any) -> bool:
    """Whether an expression ends with all the rest of a line, which is never tried again."""
    operation, argument = sequence[-1]
    if str(operation) == "SUBPATTERN":
        return _ends_with_all(argument[-1])
    return str(operation) == "MAX_REPEAT" and argument[1] > _LONG and _is_any(argument[2])


def _begins_a_line(sequence: Any) -> bool:
    operation, argument = sequence[0]
    if str(operation) == "SUBPATTERN":
        return _begins_a_line(argument[-1])
    return str(argument) == "AT_BEGINNING"


def _factors(pattern: str) -> int:
    parsed = importlib.import_module("re._parser").parse(pattern)
    return _gaps(parsed) - _ends_with_all(parsed) + (not _begins_a_line(parsed))


@pytest.mark.parametrize(
    "pattern",
    [*(form.pattern.pattern for form in FORMS), *(one.line.pattern for one in _WRITERS)],
)
def test_search_of_a_line_has_few_factors(pattern: str) -> None:
    assert _factors(pattern) <= _MOST


def test_factors_are_counted() -> None:
    assert _factors(r"a[^\n]*?b[^\n]*?c(?P<x>[^\n]*)") == 3
    assert _factors(r"^a[^\n]{3,600}?b(?: \w: [^\n]{1,80}?){0,4}c") == 5
    assert _factors(fields("a", "b", "c(?P<x>[^\n]*)")) == 0


def test_fields_stand_in_their_order() -> None:
    pattern = re.compile(fields("a:", r"b: (?P<b>\w+)"))
    found = pattern.search("b: 1\nx a: 1 b: 2 b: 3")
    assert found is not None
    assert found["b"] == "2"
    assert pattern.search("b: 2 a: 1\nb: 3") is None
