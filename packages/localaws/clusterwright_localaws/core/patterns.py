"""Regular expressions of clients and of AWS's models, compared within a time limit.

A comparison by trial takes very long for some expressions, and no other request is answered
meanwhile.
"""

from __future__ import annotations

import functools
import time
from typing import Any, Final

TIMEOUT_SECONDS: Final = 0.5


class PatternError(ValueError):
    """Python's `regex` does not read the expression."""


class PatternTimeout(PatternError):
    """The comparison was ended; whether the pattern matches is unknown."""


class Allowance:
    """The time that the comparisons of one request may take together."""

    def __init__(self, seconds: float = TIMEOUT_SECONDS) -> None:
        self.left_seconds = seconds


def matches(
    pattern: str, value: str, *, whole: bool = False, allowance: Allowance | None = None
) -> bool:
    """Return whether the pattern matches somewhere in `value`, or the `whole` of it.

    Raises
    ------
    PatternTimeout
        The comparison takes too long.
    PatternError
        The pattern is no regular expression, or one that Python does not read.
    """
    import regex

    compiled = compiled_pattern(pattern)
    search = compiled.fullmatch if whole else compiled.search
    allowed = allowance or Allowance()
    started = time.monotonic()
    try:
        # Zero would be no limit.
        return search(value, timeout=max(allowed.left_seconds, 0.001)) is not None
    except (TimeoutError, MemoryError, regex.error) as error:
        raise PatternTimeout(f"the comparison with {pattern!r} takes too long") from error
    finally:
        allowed.left_seconds -= time.monotonic() - started


@functools.lru_cache(maxsize=4096)
def compiled_pattern(pattern: str) -> Any:
    """Return the pattern, compiled, for `matches`; others call it to see that it can be read.

    Raises
    ------
    PatternError
        The pattern is no regular expression, or one that Python does not read.
    """
    import regex

    try:
        return regex.compile(pattern)
    except (regex.error, OverflowError, RecursionError) as error:
        raise PatternError(str(error)) from None
