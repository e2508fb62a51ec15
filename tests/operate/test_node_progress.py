"""How far a reboot or a replacement is."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from clusterwright.cluster_state.not_read import NotRead
from clusterwright.cluster_state.published import NodeAcceptance, SchedulerView
from clusterwright.operate.node_progress import Progress, progress
from clusterwright.operate.results import NodeAction, NodeVerb
from tests.operate.clusters import (
    NOW,
    ON_EKS,
    cluster_state,
    in_slurm,
    load,
    minutes,
    node,
    published,
)

ASKED = NOW - minutes(10)
ACTION = NodeAction(
    "ip-workers-1", "workers", "i-workers-1", None, "ip-workers-1", "ip-workers-1", "Running"
)
SINCE = NOW - minutes(1)
OPEN: dict[str, Any] = {"acceptance": {"hold": False}}
NEW = node(1, instance_id="i-new")


def seen(
    folder: Path,
    verb: NodeVerb,
    first: Any,
    slurm: Any = None,
    *,
    acceptance: NodeAcceptance | None = None,
    action: NodeAction = ACTION,
    hold: bool = True,
) -> Progress:
    spec = load(folder, acceptance={"hold": hold})
    known = {"ip-workers-1": acceptance} if acceptance is not None else {}
    view = SchedulerView(published([slurm or in_slurm(1)], acceptance=known), None)
    state = cluster_state(spec, nodes=(first, node(2)), scheduler=view)
    return progress(spec.cluster, state, action, verb, asked_at=ASKED)


def test_a_replacement_that_runs_and_is_accepted(tmp_path: Path) -> None:
    accepted = NodeAcceptance(state="accepted", since=SINCE)
    slurm = in_slurm(1, instance_id="i-new")
    assert seen(tmp_path, "replace", NEW, slurm, acceptance=accepted) == Progress(
        "ready", "it runs and is accepted", "i-new"
    )
    assert seen(tmp_path, "replace", NEW, slurm, hold=False).stage == "ready"


def test_a_held_node_without_a_record_waits_for_its_first_test(tmp_path: Path) -> None:
    found = seen(tmp_path, "replace", NEW, in_slurm(1, instance_id="i-new"))
    assert (found.stage, found.reason) == ("waiting", "it waits for acceptance")


def test_why_acceptance_does_not_open_a_node_is_said(tmp_path: Path) -> None:
    unknown = NodeAcceptance(state="unknown", reason="dcgmi: not found", since=SINCE)
    found = seen(tmp_path, "replace", NEW, in_slurm(1, instance_id="i-new"), acceptance=unknown)
    assert found.reason == "it waits for acceptance, which is unknown: dcgmi: not found"


@pytest.mark.parametrize(
    ("first", "reason"),
    [
        (node(1), "HyperPod has not replaced it yet (Running)"),
        (node(1, instance_id="i-new", condition="starting", state="Pending"), "it is Pending"),
        (node(7), "HyperPod does not list its instance"),
    ],
)
def test_a_replacement_on_its_way(tmp_path: Path, first: Any, reason: str) -> None:
    found = seen(tmp_path, "replace", first)
    assert (found.stage, found.reason) == ("waiting", reason)


def test_a_replacement_that_failed(tmp_path: Path) -> None:
    broken = node(
        1, instance_id="i-new", condition="failed", state="Failure", message="EFA health checks"
    )
    found = seen(tmp_path, "replace", broken)
    assert (found.stage, found.new_instance_id) == ("failed", "i-new")
    assert found.reason == "Failure: EFA health checks; HyperPod does not try again by itself"


def test_the_replacement_has_the_logical_id(tmp_path: Path) -> None:
    action = NodeAction(
        "ip-workers-1", "workers", "i-workers-1", "l-1", "ip-workers-1", "ip-workers-1", "Running"
    )
    moved = node(1, instance_id="i-new", logical_id="l-1", hostname="ip-workers-9")
    found = seen(
        tmp_path, "replace", moved, in_slurm(1, instance_id="i-new"), action=action, hold=False
    )
    assert (found.stage, found.new_instance_id) == ("ready", "i-new")


def test_slurm_and_acceptance_come_after_the_instance(tmp_path: Path) -> None:
    def reason(slurm: Any, acceptance: NodeAcceptance | None = None) -> str:
        found = seen(tmp_path, "replace", NEW, slurm, acceptance=acceptance)
        assert found.stage == "waiting"
        return found.reason

    held = "clusterwright acceptance: new"
    assert reason(in_slurm(1, "DOWN", "NOT_RESPONDING")) == (
        "the scheduler's state is DOWN+NOT_RESPONDING"
    )
    assert reason(in_slurm(5)) == "the instance runs; the scheduler does not have it yet"
    assert reason(in_slurm(1, "DRAIN", reason=held)) == "it waits for acceptance"
    for state in ("new", "unknown"):
        assert reason(in_slurm(1), NodeAcceptance.model_validate({"state": state})) == (
            "it waits for acceptance"
        )
    before = NodeAcceptance(state="accepted", since=ASKED - minutes(1))
    assert reason(in_slurm(1), before) == "it waits for acceptance"
    before = NodeAcceptance(state="rejected", since=ASKED - minutes(1), reason="slow")
    assert reason(in_slurm(1), before) == "it waits for acceptance"


def test_acceptance_rejects_it(tmp_path: Path) -> None:
    rejected = NodeAcceptance(state="rejected", since=SINCE, reason="efa 7 is down")
    found = seen(tmp_path, "replace", NEW, acceptance=rejected)
    assert (found.stage, found.reason) == ("failed", "acceptance rejected it: efa 7 is down")


@pytest.mark.parametrize(
    ("booted", "stage"), [(None, "waiting"), (ASKED - minutes(1), "waiting"), (SINCE, "ready")]
)
def test_a_reboot_is_seen_by_its_time(
    tmp_path: Path, booted: dt.datetime | None, stage: str
) -> None:
    slurm = in_slurm(1, boot_time=booted)
    assert seen(tmp_path, "reboot", node(1), slurm, hold=False).stage == stage


def test_unknown_views(tmp_path: Path) -> None:
    spec = load(tmp_path)
    unread = NotRead("the nodes", "denied")
    state = cluster_state(spec, nodes=unread)
    assert progress(spec.cluster, state, ACTION, "replace", asked_at=ASKED).reason == (
        "the platform's view is unknown"
    )
    state = cluster_state(spec, nodes=(NEW,), scheduler=SchedulerView(None, unread))
    found = progress(spec.cluster, state, ACTION, "replace", asked_at=ASKED)
    assert (found.stage, found.reason) == ("waiting", "the scheduler's view: denied")


def test_parallelcluster_has_only_slurms_view(tmp_path: Path) -> None:
    spec = load(tmp_path, platform="parallelcluster", **OPEN)
    view = SchedulerView(published([in_slurm(1, boot_time=SINCE)], acceptance={}), None)
    state = cluster_state(spec, scheduler=view)
    assert progress(spec.cluster, state, ACTION, "reboot", asked_at=ASKED).stage == "ready"
    held = load(tmp_path, platform="parallelcluster").cluster
    found = progress(held, state, ACTION, "reboot", asked_at=ASKED)
    assert (found.stage, found.reason) == ("waiting", "it waits for acceptance")
    state = cluster_state(spec, scheduler=SchedulerView(published([in_slurm(3)]), None))
    assert progress(spec.cluster, state, ACTION, "reboot", asked_at=ASKED).reason == (
        "the scheduler does not have the node"
    )


def by_ec2(folder: Path, *nodes: Any, slurm: Any = None, **changes: Any) -> Progress:
    spec = load(folder, platform="parallelcluster", **OPEN, **changes)
    view = SchedulerView(published([slurm or in_slurm(1)], acceptance={}), None)
    state = cluster_state(spec, nodes=nodes, scheduler=view)
    return progress(spec.cluster, state, ACTION, "replace", asked_at=ASKED)


def test_an_instance_that_ec2_ended_is_replaced_under_its_name(tmp_path: Path) -> None:
    new = in_slurm(1, instance_id="i-new")
    assert by_ec2(tmp_path, NEW, slurm=new) == Progress("ready", "it runs", "i-new")
    for nodes, slurm, reason in (
        ((node(1, condition="ending", state="shutting-down"),), None, "not been launched yet"),
        ((), None, "its new instance has not been launched yet"),
        ((NEW,), in_slurm(1, "DOWN", instance_id="i-new"), "the scheduler's state is DOWN"),
        ((node(1, instance_id="i-new", condition="starting", state="pending"),), new, "pending"),
        ((), in_slurm(1, "IDLE", "POWERING_DOWN"), "the scheduler's state is IDLE+POWERING_DOWN"),
    ):
        found = by_ec2(tmp_path, *nodes, slurm=slurm)
        assert (found.stage, reason in found.reason) == ("waiting", True), found


def test_an_address_that_is_used_again_is_not_the_new_node(tmp_path: Path) -> None:
    launched = node(1, instance_id="i-new", launched_at=NOW - minutes(0.5))
    found = by_ec2(tmp_path, launched)
    assert (found.stage, found.reason) == (
        "waiting",
        "the scheduler's view is of before its launch",
    )


def test_a_dynamic_node_has_its_instance_with_the_next_job(tmp_path: Path) -> None:
    spec = load(tmp_path, platform="parallelcluster")
    for name, stage in (("workers-dy-workers-1", "ready"), ("workers-st-workers-1", "waiting")):
        down = in_slurm(1, "IDLE", "CLOUD", "POWERED_DOWN", name=name)
        view = SchedulerView(published([down], acceptance={}), None)
        state = cluster_state(spec, nodes=(), scheduler=view)
        action = replace(ACTION, scheduler_name=name)
        found = progress(spec.cluster, state, action, "replace", asked_at=ASKED)
        assert found.stage == stage, found


def test_kubernetes_nodes_are_replaced_by_newer_ones(tmp_path: Path) -> None:
    spec = load(tmp_path, **ON_EKS)
    ready = [in_slurm(i, "READY") for i in (7, 8)]
    view = SchedulerView(published(ready, acceptance={}), None)
    since = ASKED + minutes(1)
    nodes = [node(7, launched_at=since), node(8, launched_at=since + minutes(1)), node(3)]
    state = cluster_state(spec, nodes=tuple(nodes), scheduler=view)
    found = [
        progress(spec.cluster, state, ACTION, "replace", asked_at=ASKED, rank=rank)
        for rank in range(3)
    ]
    assert [(each.stage, each.new_instance_id) for each in found] == [
        ("ready", "i-workers-7"),
        ("ready", "i-workers-8"),
        ("waiting", None),
    ]


@pytest.mark.parametrize(
    ("before", "boot", "stage"),
    [("a", "a", "waiting"), ("a", "b", "ready"), (None, "b", "waiting")],
)
def test_a_reboot_on_kubernetes_is_another_boot(
    tmp_path: Path, before: str | None, boot: str, stage: str
) -> None:
    spec = load(tmp_path, **ON_EKS)
    view = SchedulerView(published([in_slurm(1, "READY", boot_id=boot)], acceptance={}), None)
    state = cluster_state(spec, nodes=(node(1),), scheduler=view)
    action = replace(ACTION, boot_id=before)
    assert progress(spec.cluster, state, action, "reboot", asked_at=ASKED).stage == stage


def test_without_the_hold_nothing_tests_a_node_again(tmp_path: Path) -> None:
    before = NodeAcceptance(state="accepted", since=ASKED - minutes(1))
    found = seen(tmp_path, "replace", NEW, acceptance=before, hold=False)
    assert found.stage == "ready"
    assert found.reason == (
        "it runs, and is not tested again: clusterwright accept FILE --nodes ip-workers-1"
    )
