"""Tests of slurm node."""

from __future__ import annotations

from clusterwright_health.slurm_node import read_state

from tests.nodes.health.fake_node import NODE, Machine


def test_node_states_of_slurm_are_parsed(machine: Machine) -> None:
    def state(text: str) -> tuple[frozenset[str], str]:
        machine.slurm.write_text(text + "\n")
        found = read_state(machine.probe(), NODE)
        assert found is not None
        return found.words, found.reason

    assert state("State=IDLE*+CLOUD+POWERED_DOWN") == ({"IDLE", "CLOUD", "POWERED_DOWN"}, "")
    assert state("State=MIXED+DRAIN ThreadsPerCore=2 Reason=a b c [root@2026-11-21T03:00:00]") == (
        {"MIXED", "DRAIN"},
        "a b c",
    )
    machine.slurm.write_text("slurm_load_node error: Invalid node name specified\n")
    assert read_state(machine.probe(), NODE) is None
