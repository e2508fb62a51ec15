"""Words that a text must contain before a regular expression can match it.

Hundreds of expressions on thousands of lines take minutes; looking for words first takes seconds.
The words come from Python's own parse of the expression; without it every expression is tried.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import re
from typing import Any, Final

_SHORTEST: Final = 3


def required(pattern: str) -> frozenset[str] | None:
    """Words in lower case of which every match contains one; None if there are no such words."""
    parser = _parser()
    if parser is None:
        return None
    found = _of_sequence(parser.parse(pattern, re.IGNORECASE))
    if found is None or min(map(len, found)) < _SHORTEST:
        return None
    return found


@functools.cache
def _parser() -> Any:
    """Python's parser of expressions, which had another name before 3.11; None without one."""
    for name in ("re._parser", "sre_parse"):
        with contextlib.suppress(ImportError):
            return importlib.import_module(name)
    return None


def _of_sequence(items: Any) -> frozenset[str] | None:
    """The most selective requirement among the parts of a sequence: the longest words."""
    candidates: list[frozenset[str]] = []
    run = ""
    for operation, argument in items:
        if str(operation) == "LITERAL":
            run += chr(argument).lower()
            continue
        if run:
            candidates.append(frozenset({run}))
            run = ""
        part = _of_part(str(operation), argument)
        if part is not None:
            candidates.append(part)
    if run:
        candidates.append(frozenset({run}))
    return max(candidates, key=lambda words: (min(map(len, words)), -len(words)), default=None)


def _of_part(operation: str, argument: Any) -> frozenset[str] | None:
    if operation == "SUBPATTERN":
        return _of_sequence(argument[-1])
    if operation in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
        return _of_sequence(argument[2]) if argument[0] >= 1 else None
    if operation == "BRANCH":
        parts = [_of_sequence(branch) for branch in argument[1]]
        if any(part is None for part in parts):
            return None
        return frozenset(word for part in parts if part is not None for word in part)
    return None
