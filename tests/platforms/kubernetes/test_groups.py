"""Groups with partitions of GPUs are in queues and quotas, in whole partitions."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.catalog import load_catalog
from clusterwright.platforms.hyperpod_eks import mig
from clusterwright.platforms.kubernetes.groups import shared_groups
from clusterwright.platforms.kubernetes.queues import queue_manifests
from clusterwright.platforms.kubernetes.tenants import tenant_manifests
from tests.platforms.kubernetes.conftest import Load
from tests.platforms.kubernetes.queue_quotas import quotas
from tests.platforms.kubernetes.specs import HYPERPOD

PARTS: dict[str, Any] = {
    "name": "parts",
    "role": "compute",
    "instance_type": "p5.48xlarge",
    "count": 1,
    "mig_profile": "mixed-3-1g.10gb-1-4g.40gb",
}
SPEC = {**HYPERPOD, "compute": [*HYPERPOD["compute"], PARTS]}
SMALL, LARGE = "nvidia.com/mig-1g.10gb", "nvidia.com/mig-4g.40gb"


def test_partitions_of_a_node_are_divided_among_tenants(load: Load) -> None:
    """8 GPUs of 3 and 1 partitions by 3:1:1; a whole node would belong to one tenant."""
    found = list(queue_manifests(load(SPEC), load_catalog()))
    nominal = quotas(found, "nominalQuota")
    assert nominal["parts"][SMALL] == ["14", "5", "5"]
    assert nominal["parts"][LARGE] == ["5", "2", "1"]
    assert nominal["parts"]["cpu"] == ["115", "39", "38"]
    assert nominal["parts"]["nvidia.com/gpu"] == ["0", "0", "0"]
    assert nominal["workers"][SMALL] == ["0", "0", "0"]
    # The first borrows idle partitions, the second up to 4 nodes, of which there is one.
    borrowing = quotas(found, "borrowingLimit")
    assert borrowing["parts"][SMALL] == [None, str(24 - 5), "0"]


def test_flavour_selects_the_group_by_its_label(load: Load) -> None:
    flavors = {
        m["metadata"]["name"]: m["spec"]
        for m in queue_manifests(load(SPEC), load_catalog())
        if m["kind"] == "ResourceFlavor"
    }
    assert flavors["parts"]["nodeLabels"] == {
        "sagemaker.amazonaws.com/instance-group-name": "parts"
    }


def test_namespace_quotas_include_partitions(load: Load) -> None:
    hard = [
        m["spec"]["hard"]
        for m in tenant_manifests(load(SPEC), load_catalog())
        if m["kind"] == "ResourceQuota"
    ]
    assert [h[f"requests.{SMALL}"] for h in hard] == ["24", "24", "5"]


def test_all_resources_are_available_without_tenants(load: Load) -> None:
    jobs = {**HYPERPOD["kubernetes"]["workloads"], "jobs": []}
    spec = {
        **SPEC,
        "tenants": [],
        "kubernetes": {**HYPERPOD["kubernetes"], "workloads": jobs},
    }
    nominal = quotas(list(queue_manifests(load(spec), load_catalog())), "nominalQuota")
    assert nominal["parts"][SMALL] == ["24"]


def test_restricted_groups_are_in_no_queue(load: Load) -> None:
    nova = {"name": "nova", "role": "compute", "instance_type": "p5.48xlarge", "count": 4}
    spec = {**HYPERPOD, "compute": [*HYPERPOD["compute"], {**nova, "restricted": True}]}
    assert "nova" not in {group.name for group in shared_groups(load(spec))}


@pytest.mark.parametrize("layout", sorted(mig.LAYOUTS))
def test_every_layout_counts_its_partitions(layout: str) -> None:
    parts = mig.partitions_per_gpu(layout)
    assert set(parts) == set(mig.partitions_of(layout))
    assert sum(int(part[0]) * count for part, count in parts.items()) <= 7


def test_unknown_layout_has_no_partitions() -> None:
    with pytest.raises(KeyError):
        mig.partitions_per_gpu("all-2g.20gb")
