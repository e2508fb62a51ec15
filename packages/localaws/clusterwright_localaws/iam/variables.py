"""Policy variables: `${aws:username}`, `${aws:PrincipalTag/team, 'none'}`, `${*}`.

https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_variables.html
"""

from __future__ import annotations

import functools
import re

from clusterwright_localaws.iam.context import RequestContext
from clusterwright_localaws.iam.wildcards import Pattern, pattern_of

_VARIABLE = re.compile(r"\$\{([^{}]*)\}")
_NAMED = re.compile(r"\s*([^,\s][^,]*?)\s*(?:,\s*'([^']*)'\s*)?")
_LITERAL = frozenset({"*", "?", "$"})


def filled(text: str, context: RequestContext, *, enabled: bool) -> Pattern | None:
    """Return a pattern with its variables replaced by values of the request.

    The value of a variable is text: a `*` in it is not a wildcard. `None` if a variable has no
    value and no default, or several values: then nothing matches.

    Parameters
    ----------
    enabled:
        The policy has version 2012-10-17; in older ones `${` is text.
    """
    pieces = _pieces(text) if enabled else None
    if pieces is None:
        return _plain(text)
    found: list[object] = []
    for piece in pieces:
        if isinstance(piece, tuple):
            name, default = piece
            if name in _LITERAL:
                found.append(name)
                continue
            values = context.get(name)
            if values is not None and len(values) == 1:
                found.append(values[0])
            elif values is None and default is not None:
                found.append(default)
            else:
                return None
        else:
            found.extend(pattern_of(piece))
    return tuple(found)


def variables_of(text: str) -> list[str]:
    """Return the context keys that a text names in variables, in order."""
    pieces = _pieces(text) or ()
    return [p[0] for p in pieces if isinstance(p, tuple) and p[0] not in _LITERAL]


@functools.lru_cache(maxsize=8192)
def _plain(text: str) -> Pattern:
    return pattern_of(text)


@functools.lru_cache(maxsize=8192)
def _pieces(text: str) -> tuple[str | tuple[str, str | None], ...] | None:
    if "${" not in text:
        return None
    found: list[str | tuple[str, str | None]] = []
    position = 0
    for match in _VARIABLE.finditer(text):
        named = _NAMED.fullmatch(match.group(1))
        if named is None:
            continue
        if match.start() > position:
            found.append(text[position : match.start()])
        found.append((named.group(1), named.group(2)))
        position = match.end()
    if position < len(text):
        found.append(text[position:])
    return tuple(found)
