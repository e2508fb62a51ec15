"""Scenarios that do not apply to ParallelCluster."""

from __future__ import annotations

from clusterwright_rehearsal.platforms.parallelcluster.unsupported_scenarios import REASONS
from clusterwright_rehearsal.scenario_loader import scenarios


def test_a_scenario_applies_or_has_a_reason() -> None:
    names = {scenario.name for scenario in scenarios()}
    assert set(REASONS) <= names
    assert not {"first-boot", "sick-instance", "users-updated"} & set(REASONS)


def test_reasons_are_clauses_without_a_final_stop() -> None:
    assert [text for text in REASONS.values() if not text or text.endswith(".")] == []
    assert list(REASONS) == sorted(REASONS)
