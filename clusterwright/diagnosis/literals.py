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
_TOKEN: Final = re.compile(r"\\.|\[\^?\]?|[\]()|]", re.DOTALL)


def required(pattern: str) -> frozenset[str] | None:
    """Words in lower case of which every match contains one; None if there are no such words."""
    return next(iter(clauses(pattern)), None)


def clauses(pattern: str) -> tuple[frozenset[str], ...]:
    """Sets of words in lower case: every match contains a word of each set. The most selective
    set comes first; those with words of one or two letters are left out.
    """
    parser = _parser()
    if parser is None:
        return ()
    found = _of_sequence(parser.parse(pattern, re.IGNORECASE))
    kept = [words for words in dict.fromkeys(found) if min(map(len, words)) >= _SHORTEST]
    return tuple(sorted(kept, key=_selectivity, reverse=True))


def alternatives(pattern: str) -> tuple[str, ...]:
    """What stands between the outermost `|` of an expression, which have words of their own."""
    found, start, depth, in_set = [], 0, 0, False
    for token in _TOKEN.finditer(pattern):
        text = token[0]
        if in_set:
            in_set = not text.endswith("]") or text == r"\]"
        elif text.startswith("["):
            in_set = True
        elif text == "|" and depth == 0:
            found.append(pattern[start : token.start()])
            start = token.end()
        else:
            depth += (text == "(") - (text == ")")
    return (*found, pattern[start:])


class Expression:
    """An expression that is compiled and tried only if a text has its words."""

    def __init__(self, text: str, flags: re.RegexFlag | int = 0) -> None:
        self._text = text
        self._flags = flags
        self.clauses = clauses(text)
        """Sets of words in lower case; what it matches has a word of each."""

    @functools.cached_property
    def pattern(self) -> re.Pattern[str]:
        return re.compile(self._text, self._flags)

    def has_words(self, lowered: str) -> bool:
        """Whether it can match a text, which is given in lower case."""
        for words in self.clauses:
            for word in words:
                if word in lowered:
                    break
            else:
                return False
        return True

    def search(self, text: str, lowered: str) -> re.Match[str] | None:
        """Its first match in a text, which is also given in lower case."""
        return self.pattern.search(text) if self.has_words(lowered) else None


@functools.cache
def _parser() -> Any:
    """Python's parser of expressions, which had another name before 3.11; None without one."""
    for name in ("re._parser", "sre_parse"):
        with contextlib.suppress(ImportError):
            return importlib.import_module(name)
    return None


def _selectivity(words: frozenset[str]) -> tuple[int, int]:
    """The longer the shortest word, the rarer; then, the fewer the words."""
    return min(map(len, words)), -len(words)


def _best(items: Any) -> frozenset[str] | None:
    return max(_of_sequence(items), key=_selectivity, default=None)


def _of_sequence(items: Any) -> list[frozenset[str]]:
    """The requirements of the parts of a sequence."""
    candidates: list[frozenset[str]] = []
    run = ""
    for operation, argument in items:
        if str(operation) == "LITERAL":
            run += chr(argument).lower()
            continue
        if run:
            candidates.append(frozenset({run}))
            run = ""
        candidates += _of_part(str(operation), argument)
    if run:
        candidates.append(frozenset({run}))
    return candidates


def _of_part(operation: str, argument: Any) -> list[frozenset[str]]:
    if operation == "SUBPATTERN":
        return _of_sequence(argument[-1])
    if operation in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
        return _of_sequence(argument[2]) if argument[0] >= 1 else []
    if operation == "BRANCH":
        parts = [_best(branch) for branch in argument[1]]
        known = [part for part in parts if part is not None]
        return [frozenset(w for part in known for w in part)] if len(known) == len(parts) else []
    return []
