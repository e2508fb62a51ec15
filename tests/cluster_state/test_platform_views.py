"""Clusters and nodes of every platform, from answers of the AWS modules."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any, cast

import pytest

from clusterwright.aws.cloudformation.stacks import Stack
from clusterwright.aws.ec2.instances import NodeInstance
from clusterwright.aws.eks import KubernetesCluster, Nodegroup
from clusterwright.aws.hyperpod import ClusterNode, DeployedCluster, DeployedGroup
from clusterwright.aws.pcs import Cluster as PcsCluster
from clusterwright.aws.pcs import Part
from clusterwright.aws.session import AwsSession
from clusterwright.cluster_spec.models import Cluster
from clusterwright.cluster_state.platform_views import platform_cluster, platform_nodes
from clusterwright.platforms.loading import load_cluster
from tests.support import specs

SESSION = cast(AwsSession, object())
LAUNCHED = dt.datetime(2026, 11, 20, tzinfo=dt.UTC)
CONFIGS = Path(__file__).resolve().parents[2] / "configs"


def answers(monkeypatch: pytest.MonkeyPatch, **functions: Any) -> None:
    for name, value in functions.items():
        path = f"clusterwright.cluster_state.platform_views.{name.replace('__', '.')}"
        monkeypatch.setattr(path, lambda *_, value=value: value)


def config(name: str) -> Cluster:
    return load_cluster(CONFIGS / name).cluster


def instance(number: int, state: str = "running", **tags: str) -> NodeInstance:
    named = {key.replace("__", ":").replace("_", "-"): value for key, value in tags.items()}
    return NodeInstance(
        f"i-{number}", "p5.48xlarge", state, LAUNCHED, f"ip-{number}", "on-demand", None, named
    )


def test_hyperpod(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = specs.load(tmp_path).cluster
    group = DeployedGroup("workers", ("p5.48xlarge",), "InService", 3, 4)
    answers(
        monkeypatch,
        hyperpod__deployed_cluster=DeployedCluster(
            "test", "arn", "Failed", "no capacity", "Automatic", False, (group,)
        ),
        hyperpod__cluster_nodes=tuple(
            ClusterNode("workers", "i-1", "n", "p5.48xlarge", status, "", None, "ip", None, None)
            for status in ("Running", "Failure", "Pending", "ShuttingDown", "OfTheFuture")
        ),
    )
    found = platform_cluster(SESSION, cluster)
    assert found is not None
    assert (found.status, found.failure, found.steady, found.healthy) == (
        "Failed",
        "no capacity",
        True,
        False,
    )
    assert (found.groups[0].current, found.groups[0].desired) == (3, 4)
    nodes = platform_nodes(SESSION, cluster)
    assert [node.condition for node in nodes or ()] == [
        "up",
        "failed",
        "starting",
        "ending",
        "unknown",
    ]
    answers(monkeypatch, hyperpod__deployed_cluster=None, hyperpod__cluster_nodes=None)
    assert platform_cluster(SESSION, cluster) is None
    assert platform_nodes(SESSION, cluster) is None


def test_parallelcluster(monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = config("dev-parallelcluster.yaml")
    answers(
        monkeypatch,
        stack=Stack(cluster.environment, "UPDATE_ROLLBACK_COMPLETE", "x", False),
        instances__tagged=(
            instance(1, parallelcluster__node_type="HeadNode"),
            instance(
                2,
                parallelcluster__node_type="Compute",
                parallelcluster__compute_resource_name="workers",
            ),
            instance(
                3,
                "stopped",
                parallelcluster__node_type="LoginNode",
                parallelcluster__login_nodes_pool_name="login",
            ),
        ),
    )
    found = platform_cluster(SESSION, cluster)
    assert found is not None
    assert (found.steady, found.healthy) == (True, False)
    nodes = platform_nodes(SESSION, cluster) or ()
    assert [(node.group, node.condition) for node in nodes] == [
        ("controller", "up"),
        ("workers", "up"),
        ("login", "failed"),
    ]
    answers(monkeypatch, stack=None)
    assert platform_cluster(SESSION, cluster) is None


def test_eks(monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = config("dev-eks.yaml")
    labels = {"clusterwright.dev/group": "workers"}
    answers(
        monkeypatch,
        eks__kubernetes_cluster=KubernetesCluster("dev", "ACTIVE", "1.34", "https://x", ("a: b",)),
        eks__nodegroup_names=("Nodes-1",),
        eks__nodegroup=Nodegroup("Nodes-1", "DEGRADED", labels, 2, (), None, ("c: d",)),
        instances__tagged=(instance(1, eks__nodegroup_name="Nodes-1"), instance(2)),
    )
    found = platform_cluster(SESSION, cluster)
    assert found is not None
    assert (found.healthy, found.issues, found.endpoint) == (True, ("a: b",), "https://x")
    (group,) = found.groups
    assert (group.name, group.current, group.desired, group.issues) == (
        "workers",
        None,
        2,
        ("c: d",),
    )
    nodes = platform_nodes(SESSION, cluster) or ()
    assert [node.group for node in nodes] == ["workers", None]
    answers(monkeypatch, eks__kubernetes_cluster=None)
    assert platform_cluster(SESSION, cluster) is None


def test_pcs(monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = config("dev-pcs.yaml")
    error = "InsufficientInstanceCapacity: none in the zone"
    answers(
        monkeypatch,
        pcs__cluster=PcsCluster("dev-pcs", "pcs_1", "ACTIVE", "SMALL", "25.11", ()),
        pcs__groups=(Part("workers", "pcs_2", "UPDATE_FAILED", (error,), 2, 4),),
        pcs__queues=(
            Part("workers", "pcs_3", "ACTIVE", ()),
            Part("spare", "pcs_4", "CREATE_FAILED", ("A: b",)),
        ),
        instances__tagged=(instance(1, clusterwright__group="workers"),),
    )
    found = platform_cluster(SESSION, cluster)
    assert found is not None
    assert (found.steady, found.healthy) == (True, True)
    assert found.issues == ("queue spare is CREATE_FAILED: A: b",)
    (group,) = found.groups
    assert (group.desired, group.status, group.issues) == (2, "UPDATE_FAILED", (error,))
    assert [node.group for node in platform_nodes(SESSION, cluster) or ()] == ["workers"]
    answers(monkeypatch, pcs__cluster=None)
    assert platform_cluster(SESSION, cluster) is None
    assert platform_nodes(SESSION, cluster) is None
