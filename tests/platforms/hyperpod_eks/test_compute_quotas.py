"""Quotas of task governance: types that the API defines, whole instances, whole partitions."""

from __future__ import annotations

from typing import Any

import pytest
from botocore.session import get_session

from clusterwright.catalog import load_catalog
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.platforms.hyperpod_eks import compute_quotas
from clusterwright.platforms.kubernetes.tenants import tenant_manifests
from tests.support.validation import found

GOVERNED: dict[str, Any] = {
    "platform": "hyperpod-eks",
    "hyperpod": {"task_governance": {}},
    "tenants": [{"name": "a", "weight": 3, "max_nodes": 1}, {"name": "b"}],
}


def test_partitions_match_the_api() -> None:
    model = get_session().get_service_model("sagemaker")
    assert {f"mig-{p}" for p in compute_quotas.PARTITIONS} == set(
        model.shape_for("MIGProfileType").enum  # type: ignore[attr-defined]
    )
    most = model.shape_for("ComputeQuotaResourceConfigList").metadata["max"]
    assert most == compute_quotas.MOST_RESOURCES


@pytest.mark.parametrize(
    ("instance_type", "layout", "message"),
    [
        ("p5.48xlarge", "mixed-1-3g.40gb-1-4g.40gb", None),
        ("p4d.24xlarge", "all-1g.5gb", None),
        ("g7e.12xlarge", "all-2g.48gb", "compute quotas do not support the partition mig-2g.48gb"),
        (
            "p6-b300.48xlarge",
            "all-1g.67gb",
            "compute quotas do not support the partition mig-1g.67gb",
        ),
    ],
)
def test_partitions_without_an_api_name_are_refused(
    instance_type: str, layout: str, message: str | None
) -> None:
    changes = {
        **GOVERNED,
        "compute.2.instance_type": instance_type,
        "compute.2.mig_profile": layout,
    }
    problems = found(compute_quotas.problems, changes)
    if message is None:
        assert problems == {}
    else:
        assert message in problems["compute[2].mig_profile"]
    # Without tenants there are no quotas, and Kueue knows every resource's name.
    assert found(compute_quotas.problems, {**changes, "tenants": []}) == {}
    assert found(compute_quotas.problems, {**changes, "hyperpod": {}}) == {}


def test_quota_has_at_most_fifteen_types() -> None:
    types = [*(f"g5.{n}xlarge" for n in (2, 4, 8, 12, 16, 24, 48)), "p5.48xlarge"]
    types += [f"g6.{n}xlarge" for n in (2, 4, 8, 12, 16, 24, 48)]

    def groups(extra: list[str]) -> list[dict[str, Any]]:
        return [
            {"name": f"g{i}", "role": "compute", "instance_type": name, "count": 1}
            for i, name in enumerate([*types, *extra])
        ]

    assert found(compute_quotas.problems, {**GOVERNED, "compute": groups([])}) == {}
    problems = found(compute_quotas.problems, {**GOVERNED, "compute": groups(["trn2.48xlarge"])})
    assert "at most 15 types" in problems["compute"]


def governed(
    compute: list[dict[str, Any]], tenants: list[dict[str, Any]] | None = None
) -> Cluster:
    return Cluster.model_validate(
        {
            "environment": "test",
            "account": "111122223333",
            "region": "us-east-1",
            "partition": "aws",
            "network": {"availability_zone_id": "use1-az6"},
            **GOVERNED,
            **({"tenants": tenants} if tenants is not None else {}),
            "compute": compute,
        }
    )


def whole(name: str, count: int) -> dict[str, Any]:
    return {"name": name, "role": "compute", "instance_type": "p5.48xlarge", "count": count}


def divided(name: str, count: int) -> dict[str, Any]:
    return {**whole(name, count), "mig_profile": "all-1g.10gb"}


def test_shares_of_groups_of_one_type_add_up() -> None:
    cluster = governed([divided("one", 1), divided("two", 2), whole("whole", 4)])
    # 3 nodes of 8 GPUs of 7; the first tenant at most one node of each of the two groups.
    shares = compute_quotas.partition_shares(cluster, load_catalog())
    assert {kind: [s.count for s in each] for kind, each in shares.items()} == {
        ("p5.48xlarge", "1g.10gb"): [112, 56]
    }
    assert [s.limit for s in shares["p5.48xlarge", "1g.10gb"]] == [112, None]


def test_limit_applies_per_group_up_to_its_size() -> None:
    """SageMaker would allow a share above it, which the namespace's quota refuses."""
    tenants: list[dict[str, Any]] = [{"name": "a", "weight": 9, "max_nodes": 3}, {"name": "b"}]
    cluster = governed([whole("one", 1), whole("nine", 9), divided("parts", 1)], tenants)
    (instances,) = compute_quotas.instance_shares(cluster).values()
    assert [(s.count, s.limit) for s in instances] == [(4, 4), (6, None)]
    (parts,) = compute_quotas.partition_shares(cluster, load_catalog()).values()
    assert [s.limit for s in parts] == [56, None]
    (hard, _) = namespaces(cluster)
    assert hard == {"requests.nvidia.com/gpu": "32", "requests.nvidia.com/mig-1g.10gb": "56"}


def test_namespace_quota_equals_the_share_without_borrowing() -> None:
    """Two groups with a node each: one node for each tenant, not both for the first."""
    tenants = [{"name": "a", "borrowing": False}, {"name": "b", "borrowing": False}]
    groups = [whole("one", 1), whole("two", 1), divided("three", 3), divided("four", 2)]
    cluster = governed(groups, tenants)
    (instances,) = compute_quotas.instance_shares(cluster).values()
    assert [s.count for s in instances] == [1, 1]
    (parts,) = compute_quotas.partition_shares(cluster, load_catalog()).values()
    assert namespaces(cluster) == [
        {"requests.nvidia.com/gpu": "8", "requests.nvidia.com/mig-1g.10gb": str(share.count)}
        for share in parts
    ]
    assert sum(share.count for share in parts) == 5 * 8 * 7


def namespaces(cluster: Cluster) -> list[dict[str, str]]:
    """The quota of each tenant's namespace."""
    return [
        each["spec"]["hard"]
        for each in tenant_manifests(cluster, load_catalog())
        if each["kind"] == "ResourceQuota"
    ]
