"""The platforms with one mode."""

from __future__ import annotations

from clusterwright_rehearsal import scenario_loader
from clusterwright_rehearsal.platforms.modes import MODES


def test_modes_are_those_of_scenarios_and_have_a_context() -> None:
    assert set(MODES) == set(scenario_loader.MODES) - {"managed", "scripted"}
    contexts = {mode.context for mode in MODES.values()}
    assert len(contexts) == len(MODES)
