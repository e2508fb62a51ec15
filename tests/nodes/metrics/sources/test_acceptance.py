"""Tests of acceptance."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from clusterwright_acceptance.accepted import Accepted
from clusterwright_acceptance.cluster_program import keep_accepted
from clusterwright_metrics.sources import acceptance

from tests.nodes.metrics.fake_node import Machine, at

NAME = "clusterwright_accepted_bus_bandwidth_gbs"
LABELS = {"instance_type": "p5.48xlarge", "n_nodes": "4", "nranks": "32", "size_mib": "1024"}


def test_it_reads_what_acceptance_writes(machine: Machine) -> None:
    folder = machine.root / Path(acceptance.FILE).parent.relative_to("/")
    keep_accepted(folder, [Accepted("p5.48xlarge", 4, 32, 1024, 300.5, "a")])
    found = machine.samples(acceptance)
    assert len(found) == 1
    assert at(found, NAME, **LABELS) == 300.5


def test_before_the_first_acceptance_there_are_none(machine: Machine) -> None:
    assert machine.samples(acceptance) == {}


@pytest.mark.parametrize(
    "content",
    [
        "{",
        "[]",
        {"accepted": {}},
        {"accepted": ["x", {"gbs": 1}]},
        {
            "accepted": [
                {"instance_type": "p5.48xlarge", "nodes": 4, "ranks": 32, "size_mib": 1024}
            ]
        },
    ],
    ids=["no-json", "list", "no-rows", "incomplete", "no-figure"],
)
def test_other_content_has_no_samples(machine: Machine, content: Any) -> None:
    text = content if isinstance(content, str) else json.dumps(content)
    machine.file(acceptance.FILE, text)
    assert machine.samples(acceptance) == {}
