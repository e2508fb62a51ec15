"""Tests of ours."""

from __future__ import annotations

from clusterwright_metrics.sources import ours

from tests.nodes.metrics.fake_node import (
    Machine,
    at,
)


def test_state_files_of_the_programs_are_read(machine: Machine) -> None:
    machine.file("/var/lib/clusterwright/health.json", '{"findings": ["gpu: 7 of 8"]}')
    machine.file("/var/lib/clusterwright/journal.json", '{"step": "lustre"}')
    machine.file("/var/lib/clusterwright/preload-fsx.json", '{"files_seen": 9, "files_loaded": 4}')
    machine.file("/var/lib/clusterwright/preload-bad.json", "[")
    found = machine.samples(ours)
    assert at(found, "clusterwright_health_findings") == 1
    assert at(found, "clusterwright_node_program_unfinished") == 1
    assert at(found, "clusterwright_preload_files_loaded", file_system="fsx") == 4
