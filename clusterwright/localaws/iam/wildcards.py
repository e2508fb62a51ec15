"""Patterns of policies: `*` and `?`, case, and ARNs compared part by part.

https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_resource.html
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence

# A pattern is text in which every sign stands for itself, and wildcards between it.
ANY, ONE = object(), object()
Pattern = tuple[object, ...]


def pattern_of(text: str) -> Pattern:
    """Read `*` and `?` as wildcards, everything else as itself."""
    return tuple(
        {"*": ANY, "?": ONE}.get(part, part) for part in re.split(r"([*?])", text) if part
    )


def matches(pattern: Pattern | str, text: str, *, ignore_case: bool = False) -> bool:
    """Say whether all of `text` is what the pattern describes."""
    if isinstance(pattern, str):
        pattern = pattern_of(pattern)
    return _compiled(pattern, ignore_case).fullmatch(text) is not None


def matches_arn(pattern: Pattern | str, arn: str) -> bool:
    """Compare an ARN with a pattern, each of its six parts with the pattern's part.

    A wildcard does not reach over the end of its part, except in the last one, which may hold
    colons and slashes. A pattern that ends early with `*` leaves the other parts open; `*` alone
    is everything.
    """
    if isinstance(pattern, str):
        pattern = pattern_of(pattern)
    if pattern == (ANY,):
        return True
    parts = _split(pattern)
    found = arn.split(":", 5)
    if len(parts) < len(found):
        if not parts[-1] or parts[-1][-1] is not ANY:
            return False
        parts = (*parts, *((ANY,) for _ in range(len(found) - len(parts))))
    return len(parts) == len(found) and all(
        matches(part, text) for part, text in zip(parts, found, strict=True)
    )


@functools.lru_cache(maxsize=8192)
def _compiled(pattern: Pattern, ignore_case: bool) -> re.Pattern[str]:
    text = "".join(
        ".*" if part is ANY else "." if part is ONE else re.escape(str(part))
        for part in _merged(pattern)
    )
    return re.compile(text, re.DOTALL | (re.IGNORECASE if ignore_case else 0))


def _merged(pattern: Pattern) -> Sequence[object]:
    """Without repeated `*`, which match nothing more and only cost time."""
    kept: list[object] = []
    for part in pattern:
        if part is ANY and kept and kept[-1] is ANY:
            continue
        kept.append(part)
    return kept


@functools.lru_cache(maxsize=8192)
def _split(pattern: Pattern) -> tuple[Pattern, ...]:
    parts: list[list[object]] = [[]]
    for piece in pattern:
        if not isinstance(piece, str):
            parts[-1].append(piece)
            continue
        first, *rest = piece.split(":", 6 - len(parts))
        parts[-1].extend([first] if first else [])
        for text in rest:
            parts.append([text] if text else [])
    return tuple(tuple(part) for part in parts)
