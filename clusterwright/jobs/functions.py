"""Definitions of functions in a shell script: `name() { ... }` and `function name { ... }`.

Grammar: GNU Bash manual, "Shell Functions".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from clusterwright.jobs.lexer import Token

_NAME: Final = re.compile(r"[A-Za-z_][\w.:-]*")
_BEFORE_COMMANDS: Final = frozenset(
    {"then", "else", "elif", "do", "if", "while", "until", "!", "time", "{"}
)
ENDS: Final = frozenset({"fi", "done", "esac", "}"})


@dataclass(frozen=True)
class Definition:
    """A function.

    Attributes
    ----------
    start, end:
        The place of its tokens in the script: the first, and the one after the last.
    body:
        The tokens between the braces; a body in parentheses has them, too.
    redirections:
        The tokens after the body, such as `> FILE`, which count at each call.
    """

    name: str
    start: int
    end: int
    body: tuple[Token, ...]
    redirections: tuple[Token, ...] = ()


Functions = Mapping[str, Sequence[Definition]]
"""By name; several where branches define one."""


def definitions(tokens: Sequence[Token]) -> dict[int, Definition]:
    """The functions by the place of their first token; of nested ones the outer one."""
    found: dict[int, Definition] = {}
    index = 0
    while index < len(tokens):
        one = _definition(tokens, index) if begins(tokens, index) else None
        if one is not None:
            found[index] = one
        index = index + 1 if one is None else one.end
    return found


def mentions(tokens: Sequence[Token]) -> dict[str, list[int]]:
    """The places of the tokens that have a name in their text, as `trap name TERM` does."""
    found: dict[str, list[int]] = {}
    for index, token in enumerate(tokens):
        for text in _texts(token):
            for name in _NAME.findall(text):
                found.setdefault(name.rstrip(".:-"), []).append(index)
    return found


def _texts(token: Token) -> Iterator[str]:
    for part in token.parts:
        if part.kind != "variable":
            yield part.text
        elif part.default:
            yield part.default
    for inner in token.array or ():
        yield from _texts(inner)


def begins(tokens: Sequence[Token], index: int) -> bool:
    """Whether a command begins here."""
    if index == 0 or tokens[index - 1].operator:
        return True
    return tokens[index - 1].literal in _BEFORE_COMMANDS


def _definition(tokens: Sequence[Token], start: int) -> Definition | None:
    keyword = tokens[start].literal == "function"
    at = start + 1 if keyword else start
    name = tokens[at].literal if at < len(tokens) else None
    brackets = [token.operator for token in tokens[at + 1 : at + 3]] == ["(", ")"]
    if name is None or not _NAME.fullmatch(name) or not (keyword or brackets):
        return None
    at += 3 if brackets else 1
    while at < len(tokens) and tokens[at].operator == "\n":
        at += 1
    end = _end(tokens, at)
    if end is None:
        return None
    after = end
    while after < len(tokens) and not tokens[after].operator:
        after += 1
    subshell = tokens[at].operator == "("
    body = tokens[at:end] if subshell else tokens[at + 1 : end - 1]
    return Definition(name, start, after, tuple(body), tuple(tokens[end:after]))


def _end(tokens: Sequence[Token], start: int) -> int | None:
    """The place after `}` or `)` that ends a body; None without a body or its end."""
    braces = start < len(tokens) and tokens[start].literal == "{"
    if not braces and (start >= len(tokens) or tokens[start].operator != "("):
        return None
    depth = 0
    for index in range(start, len(tokens)):
        token = tokens[index]
        before = tokens[index - 1]
        if not braces:
            depth += {"(": 1, ")": -1}.get(token.operator, 0)
        elif token.literal == "{" and (index == start or begins(tokens, index)):
            depth += 1
        elif token.literal == "}" and (before.operator or before.literal in ENDS):
            depth -= 1
        if depth == 0:
            return index + 1
    return None
