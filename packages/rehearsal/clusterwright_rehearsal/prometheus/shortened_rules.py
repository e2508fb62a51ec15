"""Rendered alert rules and routes with all durations divided by one number.

A rule that waits for 30 minutes waits for one minute, and a window of 15 minutes has 30 seconds.
Divided are ranges (`[15m]`, `offset 15m`), `for`, the interval of evaluations, ages in seconds
that a rule compares with a number (`(time() - ...) > 600`), and the waits of the alert manager.
Thresholds, selectors, labels and texts stay as they are, and so do the rules on the end of
purchased capacity, which compare the time of day.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

DIVISOR: Final = 30

_UNITS: Final[Mapping[str, int]] = {
    "ms": 1,
    "s": 1000,
    "m": 60_000,
    "h": 3_600_000,
    "d": 86_400_000,
    "w": 604_800_000,
    "y": 31_536_000_000,
}
_DURATION: Final = r"(?:\d+(?:ms|[smhdwy]))+"
_PART: Final = re.compile(r"(\d+)(ms|[smhdwy])")
_RANGE: Final = re.compile(rf"(\[|\boffset )({_DURATION})\b")
_AGE: Final = re.compile(
    # Not a multiple of another metric: `> 5 * max by (...)`.
    r"(\(time\(\) - max by \([^()]*\) \([^()]*\)\) > )(\d+)\b(?! \*)"
)
_WAITS: Final = ("group_wait", "group_interval", "repeat_interval")


def shortened(content: Mapping[str, Any]) -> dict[str, Any]:
    """The document of a rule file, with shortened durations."""
    return {
        "groups": [
            {
                **group,
                "interval": shortened_duration(group["interval"]),
                "rules": [_rule(rule) for rule in group["rules"]],
            }
            for group in content["groups"]
        ]
    }


def shortened_route(route: Mapping[str, Any]) -> dict[str, Any]:
    """A route of an alert manager, with shortened waits, and those below it."""
    found = {
        key: shortened_duration(value) if key in _WAITS else value for key, value in route.items()
    }
    if "routes" in route:
        found["routes"] = [shortened_route(each) for each in route["routes"]]
    return found


def shortened_expression(expression: str) -> str:
    """An expression with shortened ranges and ages."""
    expression = _RANGE.sub(
        lambda match: match.group(1) + shortened_duration(match.group(2)), expression
    )
    return _AGE.sub(lambda match: f"{match.group(1)}{int(match.group(2)) / DIVISOR:g}", expression)


def shortened_duration(text: str) -> str:
    """A duration of Prometheus divided by `DIVISOR`, in milliseconds."""
    milliseconds = sum(int(number) * _UNITS[unit] for number, unit in _PART.findall(text))
    return f"{milliseconds // DIVISOR}ms"


def _rule(rule: Mapping[str, Any]) -> dict[str, Any]:
    found = {**rule, "expr": shortened_expression(rule["expr"])}
    if "for" in rule:
        found["for"] = shortened_duration(rule["for"])
    return found
