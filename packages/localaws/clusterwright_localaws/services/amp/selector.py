"""Selectors of series, such as `up{job="a",node!~"b.*"}`.

https://prometheus.io/docs/prometheus/latest/querying/basics/#instant-vector-selectors

Python's regular expressions search by trial, Prometheus's (RE2) in linear time: what could take
very long is refused here. The limit of a selector's length is ours; neither Prometheus nor AWS
states one so small.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from clusterwright_localaws.core import patterns

_NAME: Final = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
LONGEST: Final = 1024
"""Characters of a selector."""
_DEEPEST: Final = 50
"""Groups within groups; Python's own limit is that of the process's recursion."""
_SELECTOR: Final = re.compile(rf"({_NAME})?\s*(?:\{{(.*)\}})?", re.DOTALL)
_MATCHER: Final = re.compile(rf'\s*({_NAME})\s*(=~|!~|!=|=)\s*"((?:[^"\\]|\\.)*)"\s*(?:,|$)')
# Escapes and sets of characters are one token, and so are quantifiers and openings of groups.
_TOKEN: Final = re.compile(
    r"\\.|\[\^?\]?(?:[^\]\\]|\\.)*\]|\(\?(?::|[ims]+[:)]|P<\w+>)?|\{\d*(?:,\d*)?\}|.",
    re.DOTALL,
)


class SelectorError(ValueError):
    """The text is no selector."""


@dataclass(frozen=True)
class Matcher:
    """A condition on one label; a label that a series lacks is empty."""

    label: str
    operator: str
    value: str


def selector(text: str) -> list[Matcher]:
    """Return the conditions of a selector.

    Raises
    ------
    SelectorError
        It is no selector: the local AWS evaluates no expressions.
    """
    text = text.strip()
    if len(text) > LONGEST:
        raise SelectorError(f"the local AWS evaluates selectors of up to {LONGEST:,} characters")
    found = _SELECTOR.fullmatch(text)
    if found is None or not (found[1] or (found[2] or "").strip()):
        raise SelectorError(f"the local AWS evaluates selectors only, and not {text!r}")
    asked = [Matcher("__name__", "=", found[1])] if found[1] else []
    rest, at = found[2] or "", 0
    while rest[at:].strip():
        one = _MATCHER.match(rest, at)
        if one is None:
            raise SelectorError(f"a condition cannot be read: {rest[at:].strip()!r}")
        value = re.sub(r"\\(.)", r"\1", one[3])
        if "~" in one[2]:
            if _may_take_long(value):
                raise SelectorError(
                    f"the local AWS does not evaluate {value!r}: a repeated group with "
                    "repetitions or alternatives, too deep groups, or a form that Prometheus lacks"
                )
            try:
                patterns.compiled_pattern(value)
            except patterns.PatternError as error:
                raise SelectorError(f"{value!r} is no regular expression: {error}") from None
        asked.append(Matcher(one[1], one[2], value))
        at = one.end()
    return asked


def matches(asked: list[Matcher], labels: Mapping[str, str]) -> bool:
    """Return whether a series fulfils all conditions.

    Raises
    ------
    SelectorError
        The comparison takes too long.
    """
    for one in asked:
        value = labels.get(one.label, "")
        if "~" in one.operator:
            try:
                fulfilled = patterns.matches(one.value, value, whole=True)
            except patterns.PatternError as error:
                raise SelectorError(f"the local AWS does not evaluate it: {error}") from error
        else:
            fulfilled = value == one.value
        if fulfilled == one.operator.startswith("!"):
            return False
    return True


def _may_take_long(pattern: str) -> bool:
    """Return whether a repeated group has a repetition or alternatives, or a group is Python's."""
    inside = [False]
    ended = False
    for sign in _TOKEN.findall(pattern):
        repeats = sign in ("*", "+", "?") or (sign[0] == "{" and len(sign) > 1)
        if ended and repeats and sign != "?":
            return True
        ended = False
        if sign == "(?":
            return True
        if sign[0] == "(" and sign[-1] != ")":
            inside.append(False)
            if len(inside) > _DEEPEST:
                return True
        elif sign == ")":
            if len(inside) == 1:
                return False  # unbalanced, as the compiler says
            ended = inside.pop()
            inside[-1] = inside[-1] or ended
        elif repeats or sign == "|":
            inside[-1] = True
    return False
