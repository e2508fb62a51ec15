"""The context of rules: the spec, its groups, and the resources of the cluster."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import pytest

from clusterwright.aws.ec2.instances import Instance
from clusterwright.catalog import load_catalog
from clusterwright.preflight.context import Context
from tests.support import specs


def context(folder: Path, changes: dict[str, Any] | None = None) -> Context:
    return Context(specs.load(folder, changes), load_catalog(), dt.date(2026, 11, 20))


def test_groups_by_kind_of_capacity(tmp_path: Path) -> None:
    plan = {"kind": "training-plan", "arn": specs.PLAN}
    found = context(tmp_path, {"compute.1.capacity": plan})
    assert [path for path, _ in found.groups()] == [("compute", 0), ("compute", 1)]
    ((path, group),) = found.groups("training-plan", "spot")
    assert (path, group.name) == (("compute", 1), "workers")
    assert (found.region, found.on_hyperpod) == ("us-east-1", True)


@pytest.mark.parametrize(
    ("stack", "expected"),
    [
        ("test-network", True),
        ("test-eu-network", False),
        ("testing-network", False),
        ("test", False),
        (None, False),
    ],
)
def test_stacks_of_the_environment(tmp_path: Path, stack: str | None, expected: bool) -> None:
    assert context(tmp_path).stack_is_ours(stack) is expected


@pytest.mark.parametrize(
    ("stack", "node_of", "expected"),
    [
        ("test-cluster", None, True),
        ("test", None, True),
        (None, "test", True),
        (None, "other", False),
        ("other", None, False),
    ],
)
def test_instances_of_the_cluster(
    tmp_path: Path, stack: str | None, node_of: str | None, expected: bool
) -> None:
    instance = Instance("p5.48xlarge", 192, "on-demand", stack, None, node_of)
    assert context(tmp_path).instance_is_ours(instance) is expected


def test_network_and_bill_are_computed_once(tmp_path: Path) -> None:
    found = context(tmp_path)
    assert found.network_plan is found.network_plan
    assert found.bill is found.bill
    assert found.network_plan.problem is None
