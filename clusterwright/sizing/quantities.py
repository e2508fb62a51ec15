"""Parse quantities with units: `70B`, `15T`, `70e9`, `90d`.

Errors: not a number, not finite, zero or negative, and a number whose size suggests a missing unit
("70" for 70B). Each has a hint with the probable number.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Final

from clusterwright.sizing.errors import GoalError

_SUFFIXES: Final = {"": 1.0, "K": 1e3, "M": 1e6, "B": 1e9, "G": 1e9, "T": 1e12, "P": 1e15}
_NUMBER: Final = re.compile(
    r"^\s*(?P<number>[+-]?(?:\d[\d_,]*(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)\s*(?P<suffix>[A-Za-z]*)\s*$"
)
_HOURS: Final = {"h": 1.0, "d": 24.0, "w": 168.0, "m": 730.0, "mo": 730.0, "y": 8760.0}
_WORDS: Final = {
    "thousand": "K",
    "million": "M",
    "billion": "B",
    "trillion": "T",
    "mn": "M",
    "bn": "B",
    "tn": "T",
}


@dataclass(frozen=True)
class Quantity:
    """A quantity: the range of valid values, and the suffix that is often missing."""

    name: str
    unit: str
    smallest: float
    largest: float
    usual_suffix: str
    example: str


PARAMETERS: Final = Quantity("parameters", "parameters", 1e6, 1e14, "B", "70B")
TOKENS: Final = Quantity("tokens", "tokens", 1e6, 1e16, "T", "15T")
BATCH_TOKENS: Final = Quantity("tokens per step", "tokens", 16, 1e9, "M", "4M")
BYTES: Final = Quantity("bytes of text", "bytes", 1e6, 1e18, "T", "15T")


def parse_count(text: str | float, kind: Quantity, *, field: str) -> float:
    """A count with or without a suffix.

    Parameters
    ----------
    text:
        `70e9`, `70B`, `70 billion`, `1_000_000`, or a number.
    kind:
        The quantity, with the range of valid values.
    field:
        The key or flag, for the message.

    Raises
    ------
    GoalError
        The value is not a number, not finite, not positive, or outside the range.
    """
    value = _number(text, kind, field)
    if math.isnan(value):
        raise GoalError(f"{field} is not a number", f"write it as {kind.example}", field=field)
    if math.isinf(value):
        raise GoalError(f"{field} is infinite", f"write it as {kind.example}", field=field)
    if value <= 0:
        word = "zero" if value == 0 else "negative"
        raise GoalError(
            f"{field} is {word}: {text} {kind.unit}",
            f"a run needs a positive number, such as {kind.example}",
            field=field,
        )
    if value < kind.smallest:
        raise GoalError(
            f"{field} is {_plain(value)}, which is too few {kind.unit} for a training run",
            _unit_hint(value, kind),
            field=field,
        )
    if value > kind.largest:
        raise GoalError(
            f"{field} is {value:.3g}, which is too many {kind.unit} for a training run",
            _large_hint(text, value, kind),
            field=field,
        )
    return value


def parse_hours(text: str | float, *, field: str = "deadline") -> float:
    """A duration in hours from `90d`, `12w`, `72h`, `3mo` (a month is 730 hours), `1y`.

    Raises
    ------
    GoalError
        The text is not a duration, or it is not positive.
    """
    match = _NUMBER.match(str(text))
    if match is None or match["suffix"].lower() not in _HOURS:
        plain = match is not None and not match["suffix"]
        hint = f"did you mean {text}d?" if plain else "write it as 90d, 12w, 72h or 3mo"
        raise GoalError(f"{field} {text!r} is not a duration", hint, field=field)
    hours = _to_float(match["number"]) * _HOURS[match["suffix"].lower()]
    if not math.isfinite(hours) or hours <= 0:
        raise GoalError(f"{field} {text!r} must be positive", "write it as 90d", field=field)
    return hours


def counted(count: int, thing: str) -> str:
    """`1 node`, `2,048 nodes`."""
    return f"{count:,} {thing}" if count == 1 else f"{count:,} {thing}s"


def human(value: float) -> str:
    """A count with a suffix: 70B, 1.4T, 12.9B."""
    for suffix in ("T", "B", "M", "K"):
        scale = _SUFFIXES[suffix]
        if value >= scale * 0.9995:
            return f"{value / scale:.3g}{suffix}" if value / scale < 999.5 else f"{value:.3g}"
    return f"{value:.3g}"


def _number(text: object, kind: Quantity, field: str) -> float:
    if isinstance(text, bool):
        raise GoalError(f"{field} is not a number", f"write it as {kind.example}", field=field)
    if isinstance(text, (int, float)):
        try:
            return float(text)
        except OverflowError:
            return math.inf if text > 0 else -math.inf
    if not isinstance(text, str):
        # A value of a file can be of any type, such as a list or a date.
        raise GoalError(
            f"{field} {str(text)!r} is not a number of {kind.unit}",
            f"write it as {kind.example}",
            field=field,
        )
    lowered = text.strip().lower()
    if lowered in {"nan", "+nan", "-nan"}:
        return math.nan
    if lowered.lstrip("+-") in {"inf", "infinity"}:
        return -math.inf if lowered.startswith("-") else math.inf
    match = _NUMBER.match(text)
    if match is not None:
        suffix = _WORDS.get(match["suffix"].lower(), match["suffix"].upper())
        if suffix in _SUFFIXES:
            return _to_float(match["number"]) * _SUFFIXES[suffix]
    raise GoalError(
        f"{field} {text!r} is not a number of {kind.unit}",
        f"write it as {kind.example}: K, M, B and T stand for 10^3 to 10^12",
        field=field,
    )


def _to_float(number: str) -> float:
    try:
        return float(number.replace("_", "").replace(",", ""))
    except (ValueError, OverflowError):
        return math.nan


def _plain(value: float) -> str:
    return f"{value:g}"


def _unit_hint(value: float, kind: Quantity) -> str:
    if value < 1e-3:
        return f"write it as {kind.example}"
    scaled = value * _SUFFIXES[kind.usual_suffix]
    if not kind.smallest <= scaled <= kind.largest:
        return f"write it as {kind.example}"
    return f"did you mean {_plain(value)}{kind.usual_suffix} ({scaled:.3g})?"


def _large_hint(text: str | float, value: float, kind: Quantity) -> str:
    match = _NUMBER.match(str(text))
    if match is not None:
        # "70e9B" has its unit twice.
        number = _to_float(match["number"])
        if match["suffix"] and kind.smallest <= number <= kind.largest:
            return f"did you mean {human(number)} ({number:.3g})? The unit is in the number twice"
    for scale in (1e3, 1e6, 1e9, 1e12):
        if kind.smallest <= value / scale <= kind.largest / 100:
            return f"did you mean {human(value / scale)}?"
    return f"write it as {kind.example}"
