"""The report of `status`: every way in which a cluster is not healthy, one at a time."""

from __future__ import annotations

import datetime as dt
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from clusterwright.aws.cloudformation.stacks import Stack
from clusterwright.cluster_spec import LoadedSpec
from clusterwright.cluster_state.not_read import NotRead
from clusterwright.cluster_state.published import SchedulerView
from clusterwright.cluster_state.results import PlatformCluster, PlatformGroup
from clusterwright.operate.results import StatusReport
from tests.operate.clusters import NOW, in_slurm, node, plan, published, report
from tests.operate.clusters import load as load_spec
from tests.support import specs

REFUSED = NotRead("a part", "denied", "allow it", "sagemaker:ListClusterNodes")


@pytest.fixture
def spec(tmp_path: Path) -> LoadedSpec:
    return load_spec(tmp_path)


def codes(found: StatusReport) -> list[tuple[str, str]]:
    return [(finding.code, finding.severity) for finding in found.findings]


def cluster(**changes: Any) -> PlatformCluster:
    made = PlatformCluster("test", "InService", "", steady=True, healthy=True)
    groups = (
        PlatformGroup("controller", 1, 1, "InService"),
        PlatformGroup("workers", 4, 4, "InService"),
    )
    return replace(made, groups=groups, **changes)


def view(state: Any) -> SchedulerView:
    return SchedulerView(state, None)


def test_healthy(spec: LoadedSpec) -> None:
    found = report(spec)
    assert (found.exit_code, codes(found), found.unknown) == (0, [], ())
    assert found.drift.state == "no"
    assert found.jobs == {"RUNNING": 1}
    assert [(g.name, g.current, g.desired) for g in found.groups] == [
        ("controller", 1, 1),
        ("workers", 4, 4),
    ]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"stacks": (), "cluster": None, "nodes": None}, [("not-deployed", "error")]),
        ({"cluster": None, "nodes": None}, [("cluster-missing", "error")]),
        (
            {"stacks": (Stack("test-network", "UPDATE_ROLLBACK_COMPLETE", "no", False),)},
            [("stack-failed", "warning")],
        ),
        (
            {"stacks": (Stack("test-network", "ROLLBACK_COMPLETE", "no", False),)},
            [("stack-failed", "error")],
        ),
        (
            {"stacks": (Stack("test-network", "UPDATE_IN_PROGRESS", None, False),)},
            [("stack-changing", "info")],
        ),
        (
            {"cluster": cluster(status="Failed", healthy=False)},
            [("cluster-not-in-service", "error")],
        ),
        (
            {"cluster": cluster(status="Updating", steady=False, healthy=False)},
            [("cluster-changing", "info")],
        ),
        ({"cluster": cluster(issues=("Ec2SubnetNotFound: x",))}, [("platform-issue", "error")]),
        (
            {"stacks": (Stack("test-network", "CREATE_COMPLETE", None, False, drift="DRIFTED"),)},
            [("drift", "warning")],
        ),
        ({"deployed_spec": json.dumps({"region": "us-west-2"})}, [("drift", "warning")]),
        (
            {"scheduler": view(published(daemons={"slurmctld": "up", "slurmdbd": "down"}))},
            [("daemon-down", "error")],
        ),
        (
            {"scheduler": SchedulerView(published(), NotRead("x", "published last at 07:00"))},
            [("state-stale", "warning")],
        ),
    ],
)
def test_each_finding(
    spec: LoadedSpec, changes: dict[str, Any], expected: list[tuple[str, str]]
) -> None:
    found = report(spec, **changes)
    assert codes(found) == expected
    assert found.exit_code == (0 if expected[0][1] == "info" else 1)


def test_a_group_that_is_short_while_the_cluster_is_in_service(spec: LoadedSpec) -> None:
    groups = (
        PlatformGroup("controller", 1, 1, "InService"),
        PlatformGroup("workers", 3, 4, "Degraded", image_status="SecurityUpdateRequired"),
    )
    found = report(spec, cluster=replace(cluster(), groups=groups))
    assert codes(found) == [
        ("group-failed", "error"),
        ("image-outdated", "warning"),
        ("group-short", "warning"),
    ]
    assert found.findings[2].message == (
        "workers has 3 of 4 instances, and the cluster is InService"
    )


def test_a_list_that_lags_behind_the_description_is_no_finding(spec: LoadedSpec) -> None:
    found = report(
        spec,
        nodes=(node(1, "controller"), *(node(i) for i in range(1, 4))),
        scheduler=view(published([in_slurm(i) for i in range(1, 4)])),
    )
    assert codes(found) == []
    assert found.groups[1].current == 4


def test_groups_that_only_one_side_has(spec: LoadedSpec) -> None:
    groups = (PlatformGroup("controller", 1, 1), PlatformGroup("old", 2, 2))
    found = report(
        spec,
        cluster=replace(cluster(), groups=groups),
        nodes=(node(1, "controller"),),
        scheduler=view(published([])),
    )
    assert [(g.name, g.current, g.desired) for g in found.groups] == [
        ("controller", 1, 1),
        ("workers", 0, 4),
        ("old", 2, 2),
    ]
    assert codes(found) == [("group-short", "warning")]


@pytest.mark.parametrize("part", ["stacks", "cluster", "nodes", "deployed_spec"])
def test_what_was_not_read_is_unknown_and_the_rest_is_answered(
    spec: LoadedSpec, part: str
) -> None:
    found = report(spec, **{part: REFUSED})
    assert found.exit_code == 2
    assert codes(found) == []
    (unknown,) = found.unknown
    assert (unknown.reason, unknown.iam_action) == ("denied", "sagemaker:ListClusterNodes")


def test_without_the_scheduler_the_platform_is_answered(spec: LoadedSpec) -> None:
    found = report(spec, scheduler=SchedulerView(None, NotRead("x", "not published")))
    assert found.exit_code == 2
    assert found.jobs is None
    assert {n.scheduler_state for n in found.nodes} == {"unknown"}
    assert {n.accepted for n in found.nodes} == {"unknown"}
    assert {n.platform_state for n in found.nodes} == {"Running"}


def test_what_the_controller_could_not_read_is_unknown(spec: LoadedSpec) -> None:
    found = report(spec, scheduler=view(published().model_copy(update={"jobs": None})))
    assert found.exit_code == 2
    assert [part.what for part in found.unknown] == ["the scheduler's jobs"]


def test_changed_rules_are_drift(spec: LoadedSpec) -> None:
    """CloudFormation's detection does not see rules that were added to a group."""
    rules = tuple(f"test-network/Nodes: in tcp {port} was added" for port in (22, 23, 24, 25))
    found = report(spec, changed_rules=rules)
    assert found.drift.state == "yes"
    (reason,) = found.drift.reasons
    assert reason.endswith("Nodes: in tcp 24 was added and 1 more")
    assert [each.code for each in found.findings] == ["drift"]


def test_drift_is_unknown_without_the_rules(spec: LoadedSpec) -> None:
    found = report(spec, changed_rules=NotRead("the rules of security groups", "refused"))
    assert found.drift.state == "unknown"
    assert found.drift.reasons == ("the rules of security groups are unknown",)
    assert [each.what for each in found.unknown] == ["the rules of security groups"]


def test_drift_is_unknown_until_cloudformation_compares(spec: LoadedSpec) -> None:
    stacks = (Stack("test-network", "CREATE_COMPLETE", None, False),)
    found = report(spec, stacks=stacks)
    assert found.drift.state == "unknown"
    assert found.drift.reasons == ("CloudFormation has not compared 1 of 1 stacks",)
    assert found.exit_code == 0


def test_capacity_that_ends(tmp_path: Path) -> None:
    changes = {"compute__1__capacity": {"kind": "training-plan", "arn": specs.PLAN}}
    spec = load_spec(tmp_path, **changes)
    ending = plan(ends=NOW + dt.timedelta(hours=20))
    found = report(spec, capacity={specs.PLAN: ending})
    assert codes(found) == [("capacity-ends", "warning")]
    assert (found.capacity[0].kind, found.capacity[0].used) == ("training-plan", 4)
    unknown = report(spec, capacity={specs.PLAN: REFUSED})
    assert unknown.exit_code == 2
    assert unknown.capacity[0].status is None
