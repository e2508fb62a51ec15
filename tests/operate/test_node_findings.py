"""Findings on nodes: each state that is wrong, and those that are not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from clusterwright.cluster_spec import LoadedSpec
from clusterwright.cluster_state.deep_health import DeepHealthResult
from clusterwright.cluster_state.published import NodeAcceptance, NodeHistory, SchedulerView
from clusterwright.cluster_state.results import PlatformNode
from clusterwright.operate.node_findings import node_findings
from clusterwright.operate.nodes import joined_nodes
from clusterwright.operate.results import OperatingFinding
from tests.operate.clusters import NOW, cluster_state, in_slurm, load, minutes, node, published


@pytest.fixture
def spec(tmp_path: Path) -> LoadedSpec:
    return load(tmp_path)


def findings(
    spec: LoadedSpec, nodes: list[PlatformNode], slurm: Any, **changes: Any
) -> list[OperatingFinding]:
    state = cluster_state(
        spec, nodes=tuple(nodes), scheduler=SchedulerView(published(slurm, **changes), None)
    )
    return list(node_findings(joined_nodes(spec.cluster, state), state))


STARTED = {"state": "Pending", "condition": "starting"}


def test_node_that_failed_for_weeks_is_to_be_replaced(spec: LoadedSpec) -> None:
    def found(**changes: Any) -> list[str]:
        past = NodeHistory(
            **{"instance_id": "i-workers-1", "advice": "replace", "reason": "3 days", **changes}
        )
        history = {"ip-workers-1": past}
        return [
            each.message
            for each in findings(spec, [node(1)], [in_slurm(1)], history=history)
            if each.code == "node-lemon"
        ]

    (message,) = found()
    assert message.endswith("by the faults of weeks: ip-workers-1 (3 days)")
    assert found(advice="none") == []
    # Slurm keeps the name of a node that was replaced.
    assert found(instance_id="i-before") == []


@pytest.mark.parametrize(
    ("platform", "slurm", "code", "severity"),
    [
        ({"state": "Failure", "condition": "failed"}, ("DOWN",), "node-failed", "error"),
        ({}, ("DOWN", "NOT_RESPONDING"), "views-disagree", "error"),
        ({"state": "ShuttingDown", "condition": "ending"}, ("IDLE",), "views-disagree", "error"),
        ({}, ("MIXED", "DRAIN"), "node-drained", "warning"),
        ({**STARTED, "launched_at": NOW - minutes(61)}, ("DOWN",), "node-late", "warning"),
        ({**STARTED, "launched_at": NOW - minutes(59)}, ("DOWN",), "node-starting", "info"),
    ],
)
def test_one_node(
    spec: LoadedSpec, platform: dict[str, Any], slurm: tuple[str, ...], code: str, severity: str
) -> None:
    (found,) = findings(spec, [node(1, **platform)], [in_slurm(1, *slurm)])
    assert (found.code, found.severity, found.resources) == (code, severity, ("ip-workers-1",))


@pytest.mark.parametrize("slurm", [("IDLE",), ("ALLOCATED",), ("IDLE", "MAINTENANCE", "RESERVED")])
def test_nodes_in_order(spec: LoadedSpec, slurm: tuple[str, ...]) -> None:
    assert findings(spec, [node(1)], [in_slurm(1, *slurm)]) == []


def test_a_node_that_slurm_does_not_have(spec: LoadedSpec) -> None:
    young, old = node(1, launched_at=NOW - minutes(29)), node(2, launched_at=NOW - minutes(31))
    (found,) = findings(spec, [young, old], [])
    assert (found.code, found.resources) == ("views-disagree", ("ip-workers-2",))


def test_another_instance_in_slurm(spec: LoadedSpec) -> None:
    young, old = node(1, launched_at=NOW - minutes(29)), node(2, launched_at=NOW - minutes(31))
    slurm = [in_slurm(number, instance_id=f"i-former-{number}") for number in (1, 2)]
    found = findings(spec, [young, old], slurm)
    assert [(each.code, each.resources) for each in found] == [
        ("views-disagree", ("ip-workers-2",)),
        ("node-not-accepted", ("ip-workers-2",)),
    ]
    assert findings(spec, [old], [in_slurm(2, instance_id=None)]) == []


def test_a_node_without_instance(spec: LoadedSpec) -> None:
    (found,) = findings(spec, [], [in_slurm(1)])
    assert found.message == (
        "workers: 1 node in the scheduler without an instance on the platform: ip-workers-1"
    )


@pytest.mark.parametrize(
    ("state", "since", "code"),
    [
        ("rejected", NOW, "node-rejected"),
        ("unknown", NOW, "node-acceptance-unknown"),
        ("new", NOW - minutes(31), "node-not-accepted"),
    ],
)
def test_acceptance(spec: LoadedSpec, state: Any, since: Any, code: str) -> None:
    accepted = {"ip-workers-1": NodeAcceptance(state=state, reason="efa 7", since=since)}
    slurm = [in_slurm(1, "IDLE", "DRAIN")]
    (found,) = findings(spec, [node(1)], slurm, acceptance=accepted)
    assert found.code == code
    assert found.message.endswith("ip-workers-1 (efa 7)")


def test_hyperpods_own_result_until_the_reboot_that_it_wants(spec: LoadedSpec) -> None:
    def found(result: DeepHealthResult, booted: Any = None) -> list[OperatingFinding]:
        slurm = in_slurm(1).model_copy(update={"boot_time": booted})
        state = cluster_state(
            spec,
            nodes=(node(1),),
            scheduler=SchedulerView(published([slurm]), None),
            deep_health={result.instance_id: result},
        )
        return list(node_findings(joined_nodes(spec.cluster, state), state))

    failed = DeepHealthResult("i-workers-1", NOW, False, "reboot", "DCGM failed")
    (finding,) = found(failed, NOW - minutes(5))
    assert (finding.code, finding.severity) == ("deep-health-check", "error")
    assert finding.message.endswith("ip-workers-1 (DCGM failed)")
    assert found(failed, NOW + minutes(5)) == []
    assert len(found(replace(failed, action="replace"), NOW + minutes(5))) == 1
    assert found(replace(failed, passed=True)) == []
    assert found(replace(failed, instance_id="i-before")) == []


def test_a_new_node_is_no_finding(spec: LoadedSpec) -> None:
    accepted = {"ip-workers-1": NodeAcceptance(state="new", since=NOW - minutes(5))}
    assert findings(spec, [node(1)], [in_slurm(1, "DRAIN")], acceptance=accepted) == []


def test_login_and_controller_nodes_may_be_drained_or_down(spec: LoadedSpec) -> None:
    slurm = [in_slurm(1, "DOWN", "DRAIN", group="controller")]
    assert findings(spec, [node(1, "controller")], slurm) == []


def test_many_nodes_are_one_finding(spec: LoadedSpec) -> None:
    slurm = [in_slurm(i, "DOWN") for i in range(1, 9)]
    (found,) = findings(spec, [node(i) for i in range(1, 9)], slurm)
    assert len(found.resources) == 8
    assert found.message == (
        "workers: 8 nodes down in the scheduler, running on the platform: ip-workers-1, "
        "ip-workers-2, ip-workers-3, ip-workers-4, ip-workers-5 and 3 more"
    )
