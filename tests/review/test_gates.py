"""The gates of a review."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import pytest

from clusterwright.cluster_spec.models import Cluster
from clusterwright.cluster_spec.models.operations import Allowance
from clusterwright.cost.bill import Gate
from clusterwright.review.gates import (
    Allowances,
    budget_gates,
    job_gates,
    protection_gates,
    replacement_gates,
)
from clusterwright.review.node_changes import groups_of_spec, nodes_changes
from clusterwright.review.results import ResourceChange, SpecChange
from tests.support import specs

TODAY = dt.date(2026, 11, 20)


def cluster(**changes: Any) -> Cluster:
    data = specs.changed({key.replace("__", "."): value for key, value in changes.items()})
    return Cluster.model_validate(data | {"partition": "aws"})


def nodes(**changes: Any) -> list[Any]:
    return nodes_changes(groups_of_spec(cluster()), groups_of_spec(cluster(**changes)))


REPLACED = ResourceChange(
    stack="a", logical_id="Fs", type="AWS::FSx::FileSystem", effect="replace", action="replace",
    holds="files", data_loss=True, outcome="lost: files",
)  # fmt: skip


def allowances(**entry: Any) -> Allowances:
    given = {"resource": "a/Fs", "reason": "it is copied already", **entry}
    return Allowances([Allowance(**given)], TODAY)


def test_replacement_fails_unless_allowed() -> None:
    (gate,) = replacement_gates([REPLACED], Allowances([], TODAY))
    assert gate.status == "fail"
    assert gate.hint is not None
    assert "a/Fs" in gate.hint
    (gate,) = replacement_gates([REPLACED], allowances())
    assert (gate.status, "it is copied already" in gate.message) == ("allowed", True)
    (gate,) = replacement_gates([REPLACED], allowances(resource="a/Other"))
    assert gate.status == "fail"


def test_allowance_expires() -> None:
    over = allowances(expires=dt.date(2026, 11, 19))
    (gate,) = replacement_gates([REPLACED], over)
    assert gate.status == "fail"
    assert [gate.gate for gate in over.gates()] == ["allowance"]
    last_day = allowances(expires=TODAY)
    assert [gate.status for gate in replacement_gates([REPLACED], last_day)] == ["allowed"]


def test_loss_of_all_jobs_is_allowed_by_group() -> None:
    changes = nodes(compute__1__name="gpus")
    assert [g.status for g in job_gates(changes, (), Allowances([], TODAY))] == ["fail"]
    named = allowances(resource="compute[workers]")
    assert [g.status for g in job_gates(changes, (), named)] == ["allowed"]
    assert named.unused() == []


def test_budget_gates_are_included() -> None:
    limit = Gate("budget.max_increase_percent", None, Decimal(1), Decimal(2), "fail", "too much")
    (gate,) = budget_gates([limit])
    assert (gate.status, gate.name) == ("fail", "budget.max_increase_percent")


def unprotected(name: str) -> ResourceChange:
    return ResourceChange(
        stack="a", logical_id=name, type="AWS::FSx::FileSystem", effect="none", action="update",
        holds="files", outcome="deleting its stack then deletes: files", protection_loss=True,
    )  # fmt: skip


DESTROY = SpecChange("protection", "retain", "destroy")


def test_removed_protection_is_one_gate_with_all_resources() -> None:
    lost = [unprotected("Fs"), unprotected("Two")]
    (gate,) = protection_gates(lost, [DESTROY], Allowances([], TODAY))
    assert (gate.gate, gate.status, gate.name) == ("protection", "fail", "protection")
    assert "a/Fs (files), a/Two (files)" in gate.message
    named = allowances(resource="protection")
    assert [g.status for g in protection_gates(lost, [DESTROY], named)] == ["allowed"]
    assert named.unused() == []


def test_removed_protection_is_a_gate_without_templates() -> None:
    (gate,) = protection_gates((), [DESTROY], Allowances([], TODAY))
    assert gate.status == "fail"


@pytest.mark.parametrize(
    "change",
    [
        SpecChange("protection", "destroy", "retain"),
        SpecChange("protection", None, "destroy"),  # a new cluster
        SpecChange("environment", "a", "b"),
    ],
)
def test_no_protection_is_lost(change: SpecChange) -> None:
    assert list(protection_gates((), [change], Allowances([], TODAY))) == []


def test_policy_of_one_resource_is_a_gate_of_its_own() -> None:
    (gate,) = protection_gates([unprotected("Fs")], (), Allowances([], TODAY))
    assert (gate.status, gate.name) == ("fail", "a/Fs")
    assert "deleting its stack then deletes: files" in gate.message
    named = allowances(resource="a/Fs")
    assert [g.status for g in protection_gates([unprotected("Fs")], (), named)] == ["allowed"]
