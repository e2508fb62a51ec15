"""State of HyperPod: nodes, groups, clusters and their scheduled actions."""

from __future__ import annotations

import datetime as dt
import re
from typing import Any

import pytest

from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.core.runtime import Runtime
from clusterwright_localaws.services.sagemaker.state import (
    Cluster,
    Clusters,
    Group,
    Node,
    count_nodes,
    find_node,
    new_cluster_id,
    new_instance_id,
    of_type,
    specification_of,
    store,
)
from clusterwright_localaws.worlds.model import World

ACCOUNT, REGION = "111122223333", "us-east-1"
NOW = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
MINUTE = dt.timedelta(minutes=1)


def node(number: int = 1, **more: Any) -> Node:
    return Node(
        **{
            "instance_id": f"i-{number}",
            "logical_id": f"l-{number}",
            "number": number,
            "group_name": "workers",
            "instance_type": "ml.p5.48xlarge",
            "subnet_id": "subnet-1",
            "zone_name": "us-east-1a",
            "zone_id": "use1-az6",
            "addresses": ((10, 12),),
            "launched_at": NOW,
            "ready_at": NOW + MINUTE,
            "image_release": "0.0.1",
            "image_id": None,
            **more,
        }
    )


def group(*nodes: Node, target: int = 0, **specification: Any) -> Group:
    described = {
        "InstanceGroupName": "workers",
        "InstanceType": "ml.p5.48xlarge",
        **specification,
    }
    return Group(described, target, nodes=list(nodes))


def cluster(*groups: Group, **request: Any) -> Cluster:
    arn = f"arn:aws:sagemaker:{REGION}:{ACCOUNT}:cluster/abcdefghijkl"
    found = Cluster("c", arn, ACCOUNT, REGION, NOW, request)
    found.groups = {one.name: one for one in groups}
    return found


@pytest.mark.parametrize(
    ("changes", "after", "expected"),
    [
        ({}, 0, "Pending"),
        ({}, 1, "Running"),
        ({"checked_until": NOW + 2 * MINUTE}, 1, "DeepHealthCheckInProgress"),
        ({"checked_until": NOW + 2 * MINUTE}, 2, "Running"),
        ({"status": "Failure"}, 5, "Failure"),
        ({"status": "Failure", "gone_at": NOW}, 5, "ShuttingDown"),
    ],
)
def test_the_status_of_a_node_follows_the_clock(
    changes: dict[str, Any], after: int, expected: str
) -> None:
    assert node(**changes).status_at(NOW + after * MINUTE) == expected


class TestGroup:
    def test_types_in_order_of_priority(self) -> None:
        assert group().instance_types == ["ml.p5.48xlarge"]
        several = {"InstanceTypes": ["ml.a", "ml.b"]}
        assert group(InstanceType=None, InstanceRequirements=several).instance_types == [
            "ml.a",
            "ml.b",
        ]

    def test_settings(self) -> None:
        found = group(
            CapacityRequirements={"Spot": {}},
            SlurmConfig={"NodeType": "Login"},
            TrainingPlanArn="arn:plan",
        )
        assert (found.spot, found.slurm_role, found.plan_arn) == (True, "Login", "arn:plan")
        assert (group().spot, group().slurm_role, group().plan_arn) == (False, None, None)

    def test_missing_nodes_are_awaited_by_name(self) -> None:
        found = group(node(1), node(2, gone_at=NOW), target=3)
        found.expect()
        first = list(found.awaited)
        assert len(set(first)) == 2
        found.expect()
        assert found.awaited == first
        found.nodes.append(node(3))
        found.expect()
        assert found.awaited == first[:1]
        found.target_count = 0
        found.expect()
        assert found.awaited == []

    def test_counts_are_not_part_of_a_specification(self) -> None:
        parameters = {"InstanceGroupName": "w", "InstanceCount": 2, "MinInstanceCount": 1}
        assert specification_of(parameters) == {"InstanceGroupName": "w"}


class TestCluster:
    def test_platforms(self) -> None:
        eks = cluster(Orchestrator={"Eks": {"ClusterArn": "arn:eks"}})
        assert (eks.platform, eks.eks_arn) == ("hyperpod-eks", "arn:eks")
        assert (cluster().platform, cluster().eks_arn) == ("hyperpod-slurm", None)
        assert cluster().id == "abcdefghijkl"

    def test_modes_and_states(self) -> None:
        assert cluster(NodeProvisioningMode="Continuous").continuous
        found = cluster()
        assert found.provisioning
        found.status = "InService"
        assert not found.provisioning

    def test_actions_run_in_order_of_time_when_they_are_due(self) -> None:
        runtime = Runtime(World())
        clusters = Clusters(runtime, ACCOUNT, REGION)
        found = clusters.by_name["c"] = cluster()
        now, done = runtime.clock.now(), []
        for name, minutes in (("late", 9), ("second", 1), ("first", 0), ("third", 1)):
            found.at(now + minutes * MINUTE, lambda when, name=name: done.append(name))
        runtime.clock.advance(120)
        clusters.advance()
        assert done == ["first", "second", "third"]
        assert len(found.scheduled) == 1

    def test_waiting_checks_run_once(self) -> None:
        found, seen = cluster(), []
        found.waiting = [seen.append]
        found.wake(NOW)
        found.wake(NOW)
        assert seen == [NOW]

    def test_nodes_are_found_by_either_id(self) -> None:
        first, second = node(1), node(2)
        found = cluster(group(first, second))
        assert find_node(found, instance_id="i-2", logical_id=None) is second
        assert find_node(found, instance_id=None, logical_id="l-1") is first
        assert find_node(found, instance_id="i-9", logical_id=None) is None


class TestClusters:
    def test_by_name_and_arn(self) -> None:
        runtime = Runtime(World())
        clusters = store(runtime, ACCOUNT, REGION)
        found = clusters.by_name["c"] = cluster()
        assert clusters.find("c") is clusters.find(found.arn) is found
        with pytest.raises(AwsError, match="Cluster with name d does not exist") as caught:
            clusters.find("d")
        assert caught.value.code == "ResourceNotFound"

    def test_terminated_nodes_are_forgotten(self, aws: Runtime) -> None:
        clusters = store(aws, ACCOUNT, REGION)
        first, second = node(1), node(2)
        found = cluster(group(first, second))
        found.driven = {"i-1": first, "i-2": second}
        clusters.forget_nodes(found, {"i-1"})
        assert list(found.nodes()) == [second]
        assert (found.instance("i-1"), found.instance("i-2")) == (None, second)

    def test_quotas_count_the_larger_of_target_and_nodes(self) -> None:
        runtime = Runtime(World())
        store(runtime, ACCOUNT, REGION).by_name["c"] = cluster(
            group(node(1), node(2), target=1),
            group(target=4, InstanceGroupName="planned", TrainingPlanArn="arn:plan"),
            group(target=5, InstanceGroupName="spot", CapacityRequirements={"Spot": {}}),
        )
        on_demand, spot = (of_type("p5.48xlarge", spot=spot) for spot in (False, True))
        assert count_nodes(runtime, ACCOUNT, REGION, on_demand) == 2
        assert count_nodes(runtime, ACCOUNT, REGION, spot) == 5
        assert count_nodes(runtime, ACCOUNT, "us-west-2", spot) == 0


def test_ids_have_awss_form() -> None:
    assert re.fullmatch(r"[a-z0-9]{12}", new_cluster_id())
    assert re.fullmatch(r"i-[0-9a-f]{17}", new_instance_id())
