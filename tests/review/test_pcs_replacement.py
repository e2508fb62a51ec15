"""A change of a PCS cluster's size, name or network replaces it: its accounting is lost."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from clusterwright.review.gates import Allowances, replacement_gates
from tests.review.templates import app, changes, resource, stack

TODAY = dt.date(2026, 11, 20)
CLUSTER: dict[str, Any] = {
    "Name": "test",
    "Size": "SMALL",
    "Networking": {"SubnetIds": ["subnet-0a1b2c3d4e5f60718"]},
    "Scheduler": {"Type": "SLURM", "Version": "25.05"},
}


def changed_cluster(**properties: Any) -> Any:
    before, after = (
        app(test=stack({"Cluster": resource("AWS::PCS::Cluster", **one)}))
        for one in (CLUSTER, {**CLUSTER, **properties})
    )
    return changes(before, after)["test/Cluster"]


@pytest.mark.parametrize(
    "change",
    [
        {"Size": "MEDIUM"},
        {"Name": "other"},
        {"Networking": {"SubnetIds": ["subnet-0f1e2d3c4b5a69788"]}},
    ],
    ids=["size", "name", "network"],
)
def test_replacement_loses_the_accounting_and_needs_permission(change: dict[str, Any]) -> None:
    found = changed_cluster(**change)
    assert found.action == "replace"
    assert "its accounting" in found.outcome
    (gate,) = replacement_gates([found], Allowances([], TODAY))
    assert (gate.status, gate.name) == ("fail", "test/Cluster")


def test_newer_slurm_keeps_the_cluster() -> None:
    found = changed_cluster(Scheduler={"Type": "SLURM", "Version": "25.11"})
    assert found.action == "update"
    assert list(replacement_gates([found], Allowances([], TODAY))) == []
