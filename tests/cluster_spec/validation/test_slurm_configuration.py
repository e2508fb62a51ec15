"""Managed or scripted: each has its own keys."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.cluster_spec.validation import slurm_configuration
from tests.support.rich_specs import EXISTING, SCRIPTED
from tests.support.validation import found


def test_consistent_specs_pass() -> None:
    assert found(slurm_configuration.problems) == {}
    assert found(slurm_configuration.problems, base=EXISTING) == {}


@pytest.mark.parametrize(
    ("changes", "path", "message"),
    [
        (
            {"slurm.topology": "tree"},
            "slurm.topology",
            "in managed mode HyperPod configures the topology; `",
        ),
        (
            {
                "slurm.configuration": "scripted",
                "slurm.strategy": "Merge",
                "resilience.node_provisioning": "all-at-once",
            },
            "slurm.strategy",
            "strategy requires managed mode; scripted mode has no SlurmConfig",
        ),
        (
            {"slurm.strategy": "Merge"},
            "slurm.strategy",
            "HyperPod does not support strategy with continuous provisioning",
        ),
        (
            {"slurm.configuration": "scripted"},
            "resilience.node_provisioning",
            "scripted mode requires that all nodes start at once",
        ),
    ],
)
def test_contradictions_are_reported(changes: dict[str, Any], path: str, message: str) -> None:
    problems = found(slurm_configuration.problems, changes)
    assert list(problems) == [path]
    assert message in problems[path]


def test_strategy_requires_nodes_that_start_at_once() -> None:
    changes = {"slurm.strategy": "Merge", "resilience.node_provisioning": "all-at-once"}
    assert found(slurm_configuration.problems, changes) == {}


def test_scripted_mode_supports_a_topology() -> None:
    assert found(slurm_configuration.problems, {"slurm.topology": "block"}, SCRIPTED) == {}
