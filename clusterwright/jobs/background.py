"""Lists of commands that a shell script runs in the background.

Grammar: GNU Bash manual, "Lists of Commands" and "Compound Commands".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from clusterwright.jobs.functions import ENDS, Definition, begins
from clusterwright.jobs.lexer import Token

OPENING: Final = frozenset({"if", "for", "while", "until", "case", "select"})
_CONTINUED: Final = frozenset({"&&", "||", "|", "|&"})


def backgrounds(tokens: Sequence[Token], known: Mapping[int, Definition]) -> list[int]:
    """For each token the number, from 1, of the innermost list before an `&`; 0 without one.

    A list is a pipeline, several with `&&` and `||`, or a group, loop or branch.

    Parameters
    ----------
    known:
        The functions of the tokens: what is in a body runs where it is called.
    """
    found = _lists(tokens, known)
    numbers = [0] * len(tokens)
    around: list[int] = []
    following = 0
    for index in range(len(tokens)):
        while around and found[around[-1]][1] <= index:
            around.pop()
        while following < len(found) and found[following][0] == index:
            around.append(following)
            following += 1
        if around:
            numbers[index] = around[-1] + 1
    return numbers


def _lists(tokens: Sequence[Token], known: Mapping[int, Definition]) -> list[tuple[int, int]]:
    """The first token of each list and its `&`, a group before the lists inside."""
    found: list[tuple[int, int]] = []
    starts = [0]
    """Of the list that is being read, and of those around it."""
    opened: list[str] = []
    end = 0
    for index, token in enumerate(tokens):
        if index in known:
            end = known[index].end
        if index < end:
            continue
        sign = token.operator
        if not sign and begins(tokens, index):
            literal = token.literal or ""
            sign = literal if literal in OPENING or literal in ("{", *ENDS) else ""
        if sign in {"(", "{"} or sign in OPENING:
            opened.append(sign)
            starts.append(index + 1)
        elif sign == ")" or sign in ENDS:
            # `)` after a pattern of `case` ends no group.
            if opened and (opened[-1] == "(") == (sign == ")"):
                opened.pop()
                starts.pop()
        elif sign == "&" and starts[-1] < index:
            found.append((starts[-1], index))
        if sign in ("&", ";", ";;") or (sign == "\n" and not _continued(tokens, index)):
            starts[-1] = index + 1
    return sorted(found, key=lambda one: (one[0], -one[1]))


def _continued(tokens: Sequence[Token], index: int) -> bool:
    """Whether a line ends after `&&`, `||` or `|`."""
    return index > 0 and tokens[index - 1].operator in _CONTINUED
