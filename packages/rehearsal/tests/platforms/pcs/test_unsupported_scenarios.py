"""Scenarios that do not apply to AWS PCS."""

from __future__ import annotations

from clusterwright_rehearsal.platforms.pcs.unsupported_scenarios import REASONS
from clusterwright_rehearsal.scenario_loader import scenarios


def test_each_scenario_applies_or_has_a_reason() -> None:
    others = {scenario.name for scenario in scenarios() if "pcs" not in scenario.modes}
    assert set(REASONS) == others


def test_reasons_are_clauses_without_a_final_stop() -> None:
    assert [text for text in REASONS.values() if not text or text.endswith(".")] == []
    assert list(REASONS) == sorted(REASONS)
