"""The gates of a review."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

from clusterwright.cluster_spec.models import Cluster
from clusterwright.cluster_spec.models.operations import Allowance
from clusterwright.cost.bill import Gate
from clusterwright.review.gates import (
    Allowances,
    budget_gates,
    job_gates,
    replacement_gates,
)
from clusterwright.review.node_changes import groups_of_spec, nodes_changes
from clusterwright.review.results import ResourceChange
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
