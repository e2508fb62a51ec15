"""Effects of a change on nodes that Karpenter starts."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.review.karpenter import pool_changes
from tests.support.rich_specs import EKS_KARPENTER, changed


def cluster(**changes: Any) -> Cluster:
    return Cluster.model_validate({**changed(EKS_KARPENTER, **changes), "partition": "aws"})


def change_of(**changes: Any) -> list[tuple[str, str, int, int, str]]:
    found = pool_changes(cluster(), cluster(**changes))
    return [(c.group, c.change, c.before, c.after, c.message) for c in found]


def test_pools_are_added_with_the_cluster() -> None:
    found = list(pool_changes(None, cluster()))
    assert [(c.group, c.change, c.after) for c in found] == [
        ("workers", "added", 3),
        ("block", "added", 2),
    ]
    assert all("render kubernetes" in c.message for c in found)


def test_unchanged_spec_changes_nothing() -> None:
    assert change_of() == []
    assert change_of(compute__0__count=3) == []


@pytest.mark.parametrize(
    ("changes", "change", "words"),
    [
        ({"compute__1__max_count": 9}, "grown", "up to 8 instead of 3"),
        ({"compute__1__max_count": 2}, "shrunk", "stay until they are empty"),
        # One more in the node group is one less for Karpenter.
        ({"compute__1__count": 2}, "shrunk", "up to 2 instead of 3"),
        ({"compute__1__labels": {"a": "b"}}, "updated", "labels: nodes launched by Karpenter"),
        ({"compute__1__instance_type": "p5en.48xlarge"}, "updated", "instance type: "),
        ({"compute__1__scratch": {}}, "updated", "drives: "),
        ({"compute__1__max_count": None}, "removed", "kubectl delete nodepool"),
        ({"compute__1__max_count": 1}, "removed", "outside every stack"),
    ],
)
def test_running_jobs_are_never_affected(changes: dict[str, Any], change: str, words: str) -> None:
    ((group, what, _, _, message),) = change_of(**changes)
    assert (group, what) == ("workers", change)
    assert words in message
    assert all(
        c.jobs == "none" and not c.whole_group for c in pool_changes(cluster(), cluster(**changes))
    )


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"kubernetes__node_volume_gib": 300}, "root volume"),
        ({"image": {"image_id": "ami-0a1b2c3d4e5f60718"}}, "image"),
        ({"network__availability_zone_id": "use1-az2"}, "zone"),
        (
            {"identity": {"kms_key_arn": "arn:aws:kms:us-east-1:111122223333:key/1234abcd"}},
            "key",
        ),
    ],
)
def test_changes_of_all_nodes_are_reported_per_pool(changes: dict[str, Any], words: str) -> None:
    found = change_of(**changes)
    assert [(c[0], c[1]) for c in found] == [("workers", "updated"), ("block", "updated")]
    assert all(c[4].startswith(f"{words}: ") for c in found)


def test_pools_are_removed_with_karpenter() -> None:
    off = cluster(kubernetes={}, compute=EKS_KARPENTER["compute"][:2])
    found = list(pool_changes(cluster(), off))
    assert [(c.group, c.change, c.after) for c in found] == [
        ("workers", "removed", 0),
        ("block", "removed", 0),
    ]
