"""Karpenter's node classes and pools on HyperPod."""

from __future__ import annotations

from clusterwright.catalog import load_catalog
from clusterwright.platforms.kubernetes.autoscaling import autoscaling_manifests
from tests.platforms.kubernetes.conftest import Load
from tests.platforms.kubernetes.specs import EKS, HYPERPOD


def test_a_class_and_a_pool_for_each_group_that_grows(load: Load) -> None:
    cluster = load(HYPERPOD)
    node_class, pool = autoscaling_manifests(cluster, load_catalog(), {})
    assert node_class["kind"] == "HyperpodNodeClass"
    assert node_class["spec"] == {"instanceGroups": ["Elastic-1"]}
    name = node_class["metadata"]["name"]
    assert name.startswith("elastic-1-")
    assert pool["kind"] == "NodePool"
    assert pool["metadata"]["name"] == name
    template = pool["spec"]["template"]
    assert template["metadata"] == {"labels": {"team.example.com/model": "large"}}
    assert template["spec"]["nodeClassRef"] == {
        "group": "karpenter.sagemaker.amazonaws.com",
        "kind": "HyperpodNodeClass",
        "name": name,
    }
    assert template["spec"]["requirements"] == [
        {
            "key": "node.kubernetes.io/instance-type",
            "operator": "In",
            "values": ["ml.p5.48xlarge"],
        }
    ]
    # Six nodes with eight GPUs.
    assert pool["spec"]["limits"]["nvidia.com/gpu"] == "48"


def test_nodes_with_jobs_are_kept(load: Load) -> None:
    _, pool = autoscaling_manifests(load(HYPERPOD), load_catalog(), {})
    assert pool["spec"]["disruption"] == {
        "consolidationPolicy": "WhenEmpty",
        "consolidateAfter": "10m",
    }
    assert pool["spec"]["template"]["spec"]["expireAfter"] == "Never"


def test_without_karpenter_there_is_nothing(load: Load) -> None:
    assert list(autoscaling_manifests(load(EKS), load_catalog(), {})) == []
