"""Patterns of policies: `*` and `?`, case, and ARNs compared part by part.

https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_resource.html
"""

from __future__ import annotations

import functools
import re

# A pattern consists of literal characters and wildcards.
ANY, ONE = object(), object()
Pattern = tuple[object, ...]


def pattern_of(text: str) -> Pattern:
    """Read `*` and `?` as wildcards, everything else as itself."""
    return tuple(
        {"*": ANY, "?": ONE}.get(part, part) for part in re.split(r"([*?])", text) if part
    )


def matches(pattern: Pattern | str, text: str, *, ignore_case: bool = False) -> bool:
    """Return whether the pattern matches the whole `text`."""
    if isinstance(pattern, str):
        pattern = pattern_of(pattern)
    first, *rest = _segments(pattern, ignore_case)
    if not rest:
        return first.fullmatch(text) is not None
    found = first.match(text)
    if found is None:
        return False
    at = found.end()
    *middle, last = rest
    for segment in middle:
        # The leftmost match leaves the longest rest, so that no other match must be tried.
        found = segment.search(text, at)
        if found is None:
            return False
        at = found.end()
    length = _length(pattern)
    return len(text) - length >= at and last.fullmatch(text, len(text) - length) is not None


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
def _segments(pattern: Pattern, ignore_case: bool) -> tuple[re.Pattern[str], ...]:
    """The parts between the `*` of a pattern: expressions of a fixed length."""
    texts = [""]
    for part in pattern:
        if part is ANY:
            texts.append("")
        else:
            texts[-1] += "." if part is ONE else re.escape(str(part))
    flags = re.DOTALL | (re.IGNORECASE if ignore_case else 0)
    return tuple(re.compile(text, flags) for text in texts)


@functools.lru_cache(maxsize=8192)
def _length(pattern: Pattern) -> int:
    """The number of characters after the last `*`."""
    length = 0
    for part in reversed(pattern):
        if part is ANY:
            break
        length += 1 if part is ONE else len(str(part))
    return length


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
