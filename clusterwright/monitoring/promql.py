"""The metrics and labels that a PromQL expression uses.

A scanner, not a parser: whether an expression is correct is for promtool. It accepts Grafana's
variables (`$node`, `${job}`, `[$__rate_interval]`).

Source: Prometheus, "Querying basics", "Operators" and "Functions" (read 2026-11-23).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

_TOKEN: Final = re.compile(
    r"""
    (?P<text>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`[^`]*`)
  | (?P<range>\[[^\]]*\])
  | (?P<variable>\$\w+|\$\{[^}]*\})
  | (?P<number>0[xX][0-9a-fA-F]+|(?:\d+(?:ms|[smhdwy]))+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)
  | (?P<name>[a-zA-Z_:][a-zA-Z0-9_:]*)
  | (?P<matcher>=~|!~|!=|==|>=|<=|[=<>])
  | (?P<mark>[(){},+\-*/%^@])
  | (?P<blank>\s+|\#[^\n]*)
    """,
    re.VERBOSE,
)
_LABEL_LISTS: Final = frozenset({"by", "without", "on", "ignoring", "group_left", "group_right"})
_KEYWORDS: Final = frozenset({"and", "or", "unless", "atan2", "bool", "offset", "inf", "nan"})
_WRITES_LABEL: Final = frozenset({"label_replace", "label_join", "count_values"})


class ScanError(ValueError):
    """The expression has a character or a bracket that PromQL does not have there."""


@dataclass(frozen=True)
class Use:
    """A metric in an expression, with the labels that its matchers compare."""

    metric: str
    labels: tuple[str, ...]


def uses(expression: str) -> tuple[Use, ...]:
    """The metrics of an expression, in their order.

    Raises
    ------
    ScanError
        It cannot be divided into PromQL's tokens.
    """
    return tuple(_uses(_tokens(expression)))


def grouped_labels(expression: str) -> frozenset[str]:
    """The labels in lists: `by (node)`, `on (node)`, `group_left (x)`.

    Raises
    ------
    ScanError
        As of `uses`.
    """
    tokens = _tokens(expression)
    found: set[str] = set()
    for index, (kind, text) in enumerate(tokens):
        if kind == "name" and text.lower() in _LABEL_LISTS:
            found.update(label for _, label in _list_after(tokens, index)[0])
    return frozenset(found)


def written_labels(expression: str) -> frozenset[str]:
    """The labels that the expression itself makes with `label_replace` and its relatives.

    Raises
    ------
    ScanError
        As of `uses`.
    """
    tokens = _tokens(expression)
    if not any(kind == "name" and text in _WRITES_LABEL for kind, text in tokens):
        return frozenset()
    texts = [text[1:-1] for kind, text in tokens if kind == "text"]
    return frozenset(text for text in texts if re.fullmatch(r"[a-zA-Z_]\w*", text))


def _tokens(expression: str) -> list[tuple[str, str]]:
    found = []
    position = 0
    while position < len(expression):
        match = _TOKEN.match(expression, position)
        if match is None:
            raise ScanError(f"unexpected {expression[position]!r} at {position}: {expression}")
        if match.lastgroup != "blank":
            found.append((str(match.lastgroup), match.group()))
        position = match.end()
    return found


def _uses(tokens: list[tuple[str, str]]) -> Iterator[Use]:
    index = 0
    while index < len(tokens):
        kind, text = tokens[index]
        following = tokens[index + 1][1] if index + 1 < len(tokens) else ""
        if kind == "name" and text.lower() in _LABEL_LISTS:
            index = _list_after(tokens, index)[1]
            continue
        if kind == "name" and text.lower() not in _KEYWORDS and following != "(":
            if not _is_aggregation(tokens, index):
                labels, index = _matchers(tokens, index + 1)
                yield Use(text, labels)
                continue
        elif text == "{":
            raise ScanError("a selector without the name of a metric")
        index += 1


def _is_aggregation(tokens: list[tuple[str, str]], index: int) -> bool:
    """Whether the name is an operator before its labels: `sum by (node) (...)`."""
    following = tokens[index + 1][1].lower() if index + 1 < len(tokens) else ""
    return following in {"by", "without"}


def _list_after(tokens: list[tuple[str, str]], index: int) -> tuple[list[tuple[str, str]], int]:
    """The names of the list behind a keyword, and the index after it; none without a list."""
    if index + 1 >= len(tokens) or tokens[index + 1][1] != "(":
        return [], index + 1
    end = index + 2
    names = []
    while end < len(tokens) and tokens[end][1] != ")":
        if tokens[end][0] == "name":
            names.append(tokens[end])
        end += 1
    return names, end + 1


def _matchers(tokens: list[tuple[str, str]], index: int) -> tuple[tuple[str, ...], int]:
    """The labels in the braces that begin at `index`, and the index after them."""
    if index >= len(tokens) or tokens[index][1] != "{":
        return (), index
    labels = []
    index += 1
    while index < len(tokens) and tokens[index][1] != "}":
        if tokens[index][0] == "name":
            labels.append(tokens[index][1])
        index += 1
    if index >= len(tokens):
        raise ScanError("a brace is not closed")
    return tuple(labels), index + 1
