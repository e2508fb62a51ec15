"""The commands that findings propose."""

from __future__ import annotations

import dataclasses

import pytest

from clusterwright.diagnosis import engine
from clusterwright.diagnosis.model import Evidence, Target
from tests.diagnosis.made import CONTEXT, item

DIAGNOSE = "clusterwright diagnose configs/prod.yaml"
UNKNOWN = item("node-status", "frobnicated", node="w-1", instance="i-1", failed=True)
NO_NAME = item("capacity", "frobnicated", failed=True)
REASON = item("scheduler-node", "Low RealMemory", node="w-1", failed=True)


def proposed(evidence: Evidence, running: Target | None) -> tuple[str, ...]:
    (finding,) = engine.findings([evidence], dataclasses.replace(CONTEXT, running=running))
    return finding.next


@pytest.mark.parametrize(
    ("evidence", "running", "expected"),
    [
        (UNKNOWN, None, f"{DIAGNOSE} node w-1"),
        (UNKNOWN, Target(), f"{DIAGNOSE} node w-1"),
        (UNKNOWN, Target("node", "w-2"), f"{DIAGNOSE} node w-1"),
        (UNKNOWN, Target("node", "w-1"), "clusterwright accept configs/prod.yaml --nodes w-1"),
        (UNKNOWN, Target("node", "i-1"), "clusterwright accept configs/prod.yaml --nodes w-1"),
        (NO_NAME, None, DIAGNOSE),
        (NO_NAME, Target(), "clusterwright status configs/prod.yaml"),
        (NO_NAME, Target("deploy"), "clusterwright status configs/prod.yaml"),
    ],
)
def test_command_that_runs_is_not_proposed(
    evidence: Evidence, running: Target | None, expected: str
) -> None:
    assert proposed(evidence, running) == (expected,)


def test_other_commands_of_a_signature_stay() -> None:
    drift = "clusterwright drift configs/prod.yaml"
    assert proposed(REASON, Target()) == (drift, f"{DIAGNOSE} node w-1")
    assert proposed(REASON, Target("node", "w-1")) == (drift,)
