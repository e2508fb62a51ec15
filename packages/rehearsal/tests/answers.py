"""What the JSON of a rehearsal says of a scenario."""

from __future__ import annotations

from typing import Any


def of(answer: dict[str, Any], scenario: str) -> dict[str, str]:
    """Promise → what is wrong with it; empty for what held or was skipped."""
    return {
        p["id"]: f"{p['status']}: {p['reason']}"
        for p in answer["promises"]
        if p["scenario"] == scenario and p["status"] != "held"
    }


def skipped(answer: dict[str, Any]) -> set[str]:
    return {entry["what"] for entry in answer["skipped"]}
