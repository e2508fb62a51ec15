"""Managed or scripted: each has keys of its own."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.spec.consistency import configuration
from tests.support.consistency import ABSENT, found
from tests.support.rich_specs import EXISTING


def test_consistent_specs_pass() -> None:
    assert found(configuration.problems) == {}
    assert found(configuration.problems, base=EXISTING) == {}


@pytest.mark.parametrize(
    ("changes", "path", "message"),
    [
        ({"slurm.topology": "tree"}, "slurm.topology", "HyperPod writes the topology itself"),
        ({"slurm.configuration": "scripted"}, "slurm.strategy", "belongs to managed mode"),
    ],
)
def test_contradictions_are_found(changes: dict[str, Any], path: str, message: str) -> None:
    problems = found(configuration.problems, changes)
    assert list(problems) == [path]
    assert message in problems[path]


def test_scripted_mode_takes_a_topology() -> None:
    changes = {
        "slurm.configuration": "scripted",
        "slurm.strategy": ABSENT,
        "slurm.topology": "block",
    }
    assert found(configuration.problems, changes) == {}
