"""Quotas of all tenants add up to the cluster, and no tenant exceeds its limit."""

from __future__ import annotations

import pytest

from clusterwright.catalog import load_catalog
from clusterwright.platforms.kubernetes.queues import queue_manifests
from clusterwright.platforms.kubernetes.tenants import tenant_manifests
from tests.platforms.kubernetes.conftest import Load
from tests.platforms.kubernetes.queue_quotas import quotas
from tests.platforms.kubernetes.specs import EKS, HYPERPOD
from tests.support.rich_specs import changed

GPU = "nvidia.com/gpu"


def test_shares_follow_the_weights_and_add_up(load: Load) -> None:
    found = list(queue_manifests(load(EKS), load_catalog()))
    # 8 nodes by 3:1:1, 8 accelerators each; whole nodes, the largest remainders first.
    nominal = quotas(found, "nominalQuota")
    assert nominal["workers"][GPU] == ["40", "16", "8"]
    assert nominal["workers"]["cpu"] == [str(192 * n) for n in (5, 2, 1)]
    assert nominal["workers"]["memory"] == [f"{2048 * n}Gi" for n in (5, 2, 1)]
    assert nominal["workers"]["aws.amazon.com/neuron"] == ["0", "0", "0"]
    assert nominal["trainium"]["aws.amazon.com/neuron"] == ["32", "16", "0"]
    # The first borrows idle nodes, the second up to 4 nodes, the third none.
    assert quotas(found, "borrowingLimit")["workers"][GPU] == [None, "16", "0"]


def test_spares_are_in_no_quota(load: Load) -> None:
    spec = changed(EKS, compute__1__spare_count=1)
    nominal = quotas(list(queue_manifests(load(spec), load_catalog())), "nominalQuota")
    assert sum(int(str(amount)) for amount in nominal["workers"][GPU]) == 7 * 8


def test_limit_below_the_share_increases_the_other_shares(load: Load) -> None:
    spec = changed(EKS, tenants__0__max_nodes=2)
    nominal = quotas(list(queue_manifests(load(spec), load_catalog())), "nominalQuota")
    assert nominal["workers"][GPU] == ["16", "24", "24"]


def test_nodes_added_by_karpenter_are_in_the_shares(load: Load) -> None:
    found = list(queue_manifests(load(HYPERPOD), load_catalog()))
    flavors = {m["metadata"]["name"]: m for m in found if m["kind"] == "ResourceFlavor"}
    (elastic,) = (name for name in flavors if name.startswith("elastic-1"))
    amounts = quotas(found, "nominalQuota")[elastic][GPU]
    assert sum(int(str(amount)) for amount in amounts) == 6 * 8
    assert flavors[elastic]["spec"]["nodeLabels"] == {
        "sagemaker.amazonaws.com/instance-group-name": "Elastic-1"
    }
    assert flavors[elastic]["spec"]["tolerations"] == [
        {"key": "team.example.com/model", "operator": "Equal", "effect": "NoExecute"}
        | {"value": "large"}
    ]


def test_namespace_quota_equals_the_queue_limit(load: Load) -> None:
    """Pods outside of queues use the namespace's quota."""
    hard = [
        m["spec"]["hard"]
        for m in tenant_manifests(load(EKS), load_catalog())
        if m["kind"] == "ResourceQuota"
    ]
    assert [h[f"requests.{GPU}"] for h in hard] == ["64", "32", "8"]


def test_task_governance_creates_its_own_queues(load: Load) -> None:
    spec = changed(
        HYPERPOD,
        hyperpod__task_governance={"fair_share": True},
        kubernetes__workloads={},
        tenants__0__priority=None,
    )
    assert list(queue_manifests(load(spec), load_catalog())) == []
    namespaces = [
        m["metadata"]["name"]
        for m in tenant_manifests(load(spec), load_catalog())
        if m["kind"] == "Namespace"
    ]
    assert namespaces == [f"hyperpod-ns-{t['name']}" for t in HYPERPOD["tenants"]]


@pytest.mark.parametrize("api", ["v1alpha1", "v1beta1"])
def test_topology_levels_match_the_catalogue(load: Load, api: str) -> None:
    spec = changed(
        HYPERPOD,
        kubernetes__workloads__topology_api=api,
        compute__1__instance_type="p6-b300.48xlarge",
    )
    found = list(queue_manifests(load(spec), load_catalog()))
    topologies = {m["metadata"]["name"]: m for m in found if m["kind"] == "Topology"}
    assert sorted(topologies) == ["network-3-layers", "network-4-layers"]
    assert {m["apiVersion"] for m in topologies.values()} == {f"kueue.x-k8s.io/{api}"}
    levels = [level["nodeLabel"] for level in topologies["network-4-layers"]["spec"]["levels"]]
    assert levels == [
        *(f"topology.k8s.aws/network-node-layer-{n}" for n in (1, 2, 3, 4)),
        "kubernetes.io/hostname",
    ]
    flavor = next(m for m in found if m["metadata"]["name"] == "workers")
    assert flavor["spec"]["topologyName"] == "network-4-layers"
