"""Nodes in both views: matching, names, states, since when."""

from __future__ import annotations

from pathlib import Path

import pytest

from clusterwright.cluster_spec import LoadedSpec
from clusterwright.cluster_state.not_read import NotRead
from clusterwright.cluster_state.published import NodeAcceptance, SchedulerView
from clusterwright.operate.nodes import joined_nodes, node_status
from tests.operate.clusters import (
    LAUNCHED,
    NOW,
    cluster_state,
    in_slurm,
    load,
    node,
    published,
)


@pytest.fixture
def spec(tmp_path: Path) -> LoadedSpec:
    return load(tmp_path)


def test_nodes_are_matched_by_instance_id_then_by_host_name(spec: LoadedSpec) -> None:
    state = cluster_state(
        spec,
        nodes=(node(1), node(2)),
        scheduler=SchedulerView(
            published(
                [
                    in_slurm(1, name="workers-1"),
                    # Replaced: the controller still reports the former instance.
                    in_slurm(2, instance_id="i-former"),
                ]
            ),
            None,
        ),
    )
    found = joined_nodes(spec.cluster, state)
    assert [each.name for each in found] == ["ip-workers-2", "workers-1"]
    assert all(each.platform is not None and each.scheduler is not None for each in found)
    assert found[1].names == {"workers-1", "i-workers-1", "ip-workers-1"}
    # The test of the former instance says nothing about the one that took its name.
    assert [node_status(each, state).accepted for each in found] == ["no", "yes"]


def test_names_of_their_own_are_matched_by_address(spec: LoadedSpec) -> None:
    platform = (
        node(1, hostname="ip-10-0-0-7", address="10.0.0.7"),
        node(2, hostname="ip-10-0-0-8", address="10.0.0.8"),
        node(6, hostname="ip-10-0-0-9", address="10.0.0.9"),
    )
    scheduler = [
        in_slurm(1, instance_id=None, address="10.0.0.8"),
        in_slurm(2, instance_id=None, address="ip-workers-2"),
        # The only one with its address: Slurm may keep the flag for a while.
        in_slurm(6, "IDLE", "POWERED_DOWN", instance_id=None, address="10.0.0.9"),
        # Powered down, and with the address that its former instance had.
        in_slurm(3, "IDLE", "POWERED_DOWN", instance_id=None, address="10.0.0.8"),
        # Nobody can tell which of them it is.
        in_slurm(4, instance_id=None, address="10.0.0.7"),
        in_slurm(5, instance_id=None, address="10.0.0.7"),
    ]
    state = cluster_state(
        spec, nodes=platform, scheduler=SchedulerView(published(scheduler), None)
    )
    found = joined_nodes(spec.cluster, state)
    assert [(n.name, n.platform and n.platform.instance_id) for n in found] == [
        ("ip-10-0-0-7", "i-workers-1"),
        ("ip-workers-1", "i-workers-2"),
        ("ip-workers-2", None),
        ("ip-workers-4", None),
        ("ip-workers-5", None),
        ("ip-workers-6", "i-workers-6"),
    ]


def test_order_is_that_of_the_groups_then_natural(spec: LoadedSpec) -> None:
    state = cluster_state(
        spec, nodes=(node(10), node(9), node(1, "controller"), node(1, "elsewhere"))
    )
    names = [each.name for each in joined_nodes(spec.cluster, state)][:3]
    assert names[0] == "ip-controller-1"
    assert names.index("ip-workers-1") < 3


def test_nodes_that_only_the_scheduler_has(spec: LoadedSpec) -> None:
    view = SchedulerView(
        published([in_slurm(8), in_slurm(9, "IDLE", "CLOUD", "POWERED_DOWN")]), None
    )
    state = cluster_state(spec, nodes=(), scheduler=view)
    (found,) = joined_nodes(spec.cluster, state)
    row = node_status(found, state)
    assert (row.name, row.platform_state, row.scheduler_state) == (
        "ip-workers-8",
        "absent",
        "IDLE",
    )
    unread = cluster_state(spec, nodes=NotRead("nodes", "denied"), scheduler=view)
    (found,) = joined_nodes(spec.cluster, unread)
    assert node_status(found, unread).platform_state == "unknown"


def test_login_and_controller_are_not_compute(spec: LoadedSpec) -> None:
    state = cluster_state(spec)
    controller, worker, *_ = joined_nodes(spec.cluster, state)
    assert (controller.is_compute, worker.is_compute) == (False, True)
    assert node_status(controller, state).scheduler_state is None


def test_reason_and_since(spec: LoadedSpec) -> None:
    drained = in_slurm(1, "IDLE", "DRAIN", reason="xid 79", reason_at=NOW)
    accepted = {
        "ip-workers-2": NodeAcceptance(state="rejected", reason="efa 7 is down", since=NOW),
        "ip-workers-3": NodeAcceptance(state="accepted", since=LAUNCHED),
    }
    state = cluster_state(
        spec,
        nodes=(
            node(1),
            node(2),
            node(3),
            node(4, state="Failure", condition="failed", message="EFA health checks did not run"),
            node(5, state="Pending", condition="starting"),
        ),
        scheduler=SchedulerView(
            published([drained, *(in_slurm(i) for i in (2, 3, 4))], acceptance=accepted), None
        ),
    )
    rows = {
        row.name: row for row in (node_status(n, state) for n in joined_nodes(spec.cluster, state))
    }
    assert (rows["ip-workers-1"].reason, rows["ip-workers-1"].since) == ("xid 79", NOW)
    assert rows["ip-workers-1"].scheduler_state == "IDLE+DRAIN"
    assert (rows["ip-workers-2"].accepted, rows["ip-workers-2"].reason) == ("no", "efa 7 is down")
    assert (rows["ip-workers-3"].accepted, rows["ip-workers-3"].since) == ("yes", LAUNCHED)
    assert rows["ip-workers-4"].reason == "EFA health checks did not run"
    assert (rows["ip-workers-5"].scheduler_state, rows["ip-workers-5"].since) == (
        "absent",
        LAUNCHED,
    )
