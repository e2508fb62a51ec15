"""Labels and taints of nodes."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.cluster_spec.validation import node_labels, unused_fields
from tests.support.validation import found

TWICE = [
    {"key": "gpu", "value": "1", "effect": "NoSchedule"},
    {"key": "gpu", "value": "2", "effect": "NoSchedule"},
]
BOTH = [{"key": "gpu", "effect": "NoSchedule"}, {"key": "gpu", "effect": "NoExecute"}]


@pytest.mark.parametrize(
    "changes",
    [
        {"compute.2.labels": {"team": "research", "acme.example/model": "seven-b"}},
        {"compute.2.labels": {"eks.amazonaws.com.example.org/x": "not-theirs"}},
        {"compute.2.labels": {"notkubernetes.io/x": "not-theirs"}},
        {"compute.2.taints": BOTH},
    ],
)
def test_custom_labels_pass(changes: dict[str, Any]) -> None:
    assert found(node_labels.problems, {"platform": "hyperpod-eks", **changes}) == {}


@pytest.mark.parametrize(
    ("changes", "path", "message"),
    [
        (
            {"compute.2.labels": {"kubernetes.io/arch": "x"}},
            "compute[2].labels.kubernetes.io/arch",
            "kubernetes.io",
        ),
        (
            {"compute.2.labels": {"node.kubernetes.io/x": "x"}},
            "compute[2].labels.node.kubernetes.io/x",
            "kubernetes.io",
        ),
        (
            {"compute.2.labels": {"sagemaker.amazonaws.com/x": "x"}},
            "compute[2].labels.sagemaker.amazonaws.com/x",
            "are reserved",
        ),
        (
            {"compute.2.labels": {"clusterwright.dev/group": "x"}},
            "compute[2].labels.clusterwright.dev/group",
            "clusterwright.dev",
        ),
        (
            {"compute.2.labels": {"topology.k8s.aws/zone-id": "use1-az1"}},
            "compute[2].labels.topology.k8s.aws/zone-id",
            "k8s.aws",
        ),
        (
            {"compute.2.labels": {"nvidia.com/mig.config": "all-1g.10gb"}},
            "compute[2].labels.nvidia.com/mig.config",
            "mig_profile",
        ),
        (
            {"compute.2.taints": [{"key": "node.kubernetes.io/x", "effect": "NoSchedule"}]},
            "compute[2].taints[0].key",
            "kubernetes.io",
        ),
        (
            {"compute.2.taints": TWICE},
            "compute[2].taints[1]",
            "duplicate taint gpu with the effect",
        ),
    ],
)
def test_reserved_keys_and_duplicate_taints_are_refused(
    changes: dict[str, Any], path: str, message: str
) -> None:
    problems = found(node_labels.problems, {"platform": "hyperpod-eks", **changes})
    assert len(problems) == 1
    ((where, text),) = problems.items()
    assert where == path
    assert message in text


def test_node_groups_have_a_shorter_key_limit() -> None:
    changes = {"compute.2.labels": {f"{'a' * 30}.example/{'b' * 40}": "x"}}
    assert found(node_labels.problems, {"platform": "hyperpod-eks", **changes}) == {}
    (message,) = found(node_labels.problems, {"platform": "eks", **changes}).values()
    assert "at most 63 characters" in message


@pytest.mark.parametrize("key", ["labels", "taints"])
def test_labels_and_taints_are_refused_on_slurm(key: str) -> None:
    value: Any = {"team": "a"} if key == "labels" else BOTH
    (message,) = found(unused_fields.problems, {f"compute.2.{key}": value}).values()
    assert "hyperpod-eks or eks" in message


def test_partition_label_counts_towards_the_limit() -> None:
    changes = {
        "platform": "hyperpod-eks",
        "compute.2.labels": {f"key-{number}": "x" for number in range(50)},
    }
    assert found(node_labels.problems, changes) == {}
    (message,) = found(
        node_labels.problems, {**changes, "compute.2.mig_profile": "all-1g.10gb"}
    ).values()
    assert "labels, and `mig_profile` adds one" in message
