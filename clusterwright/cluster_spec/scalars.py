"""Plain scalars: types of YAML 1.2, without those that YAML versions read differently."""

from __future__ import annotations

import re
from typing import Any

MAXIMUM_DIGITS = 18
"""More digits than any quantity has; a longer number is an identifier without quotes."""

_NULL = frozenset(("", "~", "null", "Null", "NULL"))
_BOOLEANS = dict.fromkeys(("true", "True", "TRUE"), True)
_BOOLEANS |= dict.fromkeys(("false", "False", "FALSE"), False)
_INTEGER = re.compile(r"[-+]?(0|[1-9][0-9]*)")
_LEADING_ZERO = re.compile(r"[-+]?0[0-9]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")


class Ambiguous(ValueError):
    """A scalar that can be read in several ways."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


def plain(text: str) -> Any:
    """Return the value of a scalar without quotes: None, a boolean, a number or text.

    Non-finite numbers (`.nan`, `1e999`), dates and YAML 1.1's `yes` and `0x1F` are text.

    Raises
    ------
    Ambiguous
        A number that begins with a zero, or has more digits than any quantity.
    """
    if text in _NULL:
        return None
    if text in _BOOLEANS:
        return _BOOLEANS[text]
    if _LEADING_ZERO.fullmatch(text) and len(text) <= MAXIMUM_DIGITS:
        raise Ambiguous(
            f"{text} begins with a zero: it could be text, octal or decimal",
            f'quote it if it is text ("{text}"); remove the zero if it is a number',
        )
    if _INTEGER.fullmatch(text) or _LEADING_ZERO.fullmatch(text):
        if len(text) > MAXIMUM_DIGITS:
            shown = text if len(text) <= 2 * MAXIMUM_DIGITS else f"{text[:MAXIMUM_DIGITS]}..."
            raise Ambiguous(f"{shown} is too large for a number", "quote it if it is text")
        return int(text)
    if _FLOAT.fullmatch(text):
        number = float(text)
        return number if abs(number) != float("inf") else text
    return text


def whole_characters(text: str) -> str:
    r"""Return `text` with the surrogate pairs of JSON (`\ud83d\ude80`) joined to characters.

    Raises
    ------
    Ambiguous
        `text` has an unpaired surrogate.
    """
    if not any("\ud800" <= character <= "\udfff" for character in text):
        return text
    try:
        return text.encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeDecodeError:
        raise Ambiguous(
            "an unpaired surrogate, which is half a character", "write the character itself"
        ) from None
