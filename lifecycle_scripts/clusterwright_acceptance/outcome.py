"""The result of one check, and of one node."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Optional

PASS, FAIL, HUNG, UNKNOWN, SKIPPED, WAIVED = (
    "pass",
    "fail",
    "hung",
    "unknown",
    "skipped",
    "waived",
)
VERDICTS = (PASS, FAIL, HUNG, UNKNOWN, SKIPPED, WAIVED)
ACTIONS = ("none", "report", "check", "reboot", "replace")
"""What resolves a failure, least disruptive first. `report`: a person has to change software or
configuration; `check`: the next higher level finds out more.
"""


@dataclass(frozen=True)
class Outcome:
    """The result of a check.

    `reason` says why it is not a pass. `value` and `floor` are in `unit`; a check without a figure
    has none. `source` is where the floor or the expectation is from. `facts` are values that are
    compared between nodes, such as versions.
    """

    verdict: str
    reason: str = ""
    value: Optional[float] = None
    floor: Optional[float] = None
    unit: Optional[str] = None
    source: Optional[str] = None
    action: str = "none"
    facts: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self, check: str) -> dict[str, Any]:
        return {
            "id": check,
            "verdict": self.verdict,
            "reason": self.reason,
            "value": self.value,
            "floor": self.floor,
            "unit": self.unit,
            "source": self.source,
            "action": self.action,
            "facts": dict(self.facts),
        }


@dataclass(frozen=True)
class Together:
    """The result of a test of several nodes, and those of single nodes that it shows to be bad."""

    outcome: Outcome
    bad: Mapping[str, Outcome] = field(default_factory=dict)


def from_json(row: Mapping[str, Any]) -> Outcome:
    """The outcome in a row of `to_json`. Raises KeyError, TypeError or ValueError."""
    verdict, action = str(row["verdict"]), str(row["action"])
    if verdict not in VERDICTS or action not in ACTIONS:
        raise ValueError(f"unknown verdict or action: {verdict}, {action}")
    return Outcome(
        verdict,
        str(row["reason"]),
        None if row["value"] is None else float(row["value"]),
        None if row["floor"] is None else float(row["floor"]),
        None if row["unit"] is None else str(row["unit"]),
        None if row["source"] is None else str(row["source"]),
        action,
        dict(row["facts"]),
    )


def passed(**facts: Any) -> Outcome:
    return Outcome(PASS, facts=facts)


def failed(reason: str, action: str, **more: Any) -> Outcome:
    return Outcome(FAIL, reason, action=action, **more)


def unknown(reason: str, **more: Any) -> Outcome:
    return Outcome(UNKNOWN, reason, **more)


def skipped(reason: str) -> Outcome:
    return Outcome(SKIPPED, reason)


def hung(program: str, seconds: float) -> Outcome:
    """A program that did not end: the node cannot be trusted until it was restarted."""
    return Outcome(HUNG, f"{program} did not end within {seconds:.0f} s", action="reboot")


def against_floor(
    value: float,
    unit: str,
    floor: Optional[float],
    source: str,
    *,
    action: str = "check",
    what: str = "",
) -> Outcome:
    """Pass if the value reaches the floor; unknown without one, with `source` as the reason."""
    named = f"{what}: " if what else ""
    if floor is None:
        return Outcome(UNKNOWN, f"{named}no floor is known: {source}", value=value, unit=unit)
    if value < floor:
        text = f"{named}{value:.4g} {unit}, the floor is {floor:.4g} {unit}"
        return Outcome(FAIL, text, value, floor, unit, source, action)
    return Outcome(PASS, "", value, floor, unit, source)
