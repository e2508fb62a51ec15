"""What the JSON of a rehearsal says of a scenario."""

from __future__ import annotations

from typing import Any

from clusterwright_rehearsal.scenario_loader import scenarios

(_ORDINARY_USER,) = scenarios(["ordinary-user"])
ATTEMPTS = tuple(_ORDINARY_USER.promises)
"""What an ordinary job user tries, one test for each attempt."""


def of(answer: dict[str, Any], scenario: str) -> dict[str, str]:
    """Promise → what is wrong with it; empty for what held or was skipped."""
    return {
        p["id"]: f"{p['status']}: {p['reason']}"
        for p in answer["promises"]
        if p["scenario"] == scenario and p["status"] != "held"
    }


def skipped(answer: dict[str, Any]) -> set[str]:
    return {entry["what"] for entry in answer["skipped"]}


def attempt(answer: dict[str, Any], name: str) -> str:
    """The status of an attempt of the scenario `ordinary-user`, with the reason unless it held."""
    (found,) = (p for p in answer["promises"] if p["id"] == f"ordinary-user.{name}")
    return "held" if found["status"] == "held" else f"{found['status']}: {found['reason']}"
