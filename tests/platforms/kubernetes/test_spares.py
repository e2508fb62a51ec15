"""Spares stay free in every scheduling mode, or the file is refused: what no quota has, is kept.

The quotas of each mode are added up as the scheduler adds them, over everybody who may ask.
"""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.catalog import load_catalog
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.problems import path_text
from clusterwright.platforms.hyperpod_eks.compute_quotas import instance_shares
from clusterwright.platforms.kubernetes import spares
from clusterwright.platforms.kubernetes.queues import queue_manifests
from clusterwright.platforms.kubernetes.tenants import tenant_manifests
from clusterwright.platforms.kubernetes.values import chart_values
from tests.platforms.kubernetes.conftest import Load
from tests.platforms.kubernetes.specs import EKS, HYPERPOD
from tests.support.rich_specs import changed

GPU = "nvidia.com/gpu"
ACCELERATORS_PER_NODE = 8
NODES, SPARES = 8, 2

WITH_SPARES = changed(EKS, compute__1__spare_count=SPARES, compute__1__count=NODES)
TWO = [{"name": "one", "weight": 3}, {"name": "two"}]
NO_QUEUES: dict[str, Any] = {"queueing": "none"}
GOVERNED = changed(
    HYPERPOD,
    compute__1__spare_count=SPARES,
    tenants=TWO,
    hyperpod={"task_governance": {"share_idle": False}},
    kubernetes={},
)


def cohort(manifests: list[dict[str, Any]]) -> int:
    """GPUs of the flavour `workers` that all queues of the cohort have in total."""
    return sum(
        int(resource["nominalQuota"])
        for queue in manifests
        if queue["kind"] == "ClusterQueue"
        for flavor in queue["spec"]["resourceGroups"][0]["flavors"]
        if flavor["name"] == "workers"
        for resource in flavor["resources"]
        if resource["name"] == GPU
    )


def namespaces(manifests: list[dict[str, Any]]) -> int:
    """GPUs that pods of all namespaces can request in total."""
    return sum(
        int(quota["spec"]["hard"][f"requests.{GPU}"])
        for quota in manifests
        if quota["kind"] == "ResourceQuota"
    )


@pytest.mark.parametrize("tenants", [EKS["tenants"], TWO, []], ids=["three", "two", "none"])
def test_kueue_quota_excludes_spares(load: Load, tenants: list[dict[str, Any]]) -> None:
    spec = changed(WITH_SPARES, tenants=tenants, kubernetes__workloads__jobs=[])
    cluster = load(spec)
    found = list(queue_manifests(cluster, load_catalog()))
    assert cohort(found) == (NODES - SPARES) * ACCELERATORS_PER_NODE
    # Each queue lends and borrows within the only cohort.
    assert {m["spec"]["cohort"] for m in found if m["kind"] == "ClusterQueue"} == {"test"}


def test_jobs_without_a_queue_wait_with_spares(load: Load) -> None:
    """They would bypass Kueue, and use what its quotas exclude."""

    def configuration(spec: dict[str, Any]) -> str:
        values = chart_values(load(spec), load_catalog())["kueue"]
        return str(values["managerConfig"]["controllerManagerConfigYaml"])

    with_spares = configuration(WITH_SPARES)
    assert '"manageJobsWithoutQueueName": true' in with_spares
    assert '"key": "clusterwright.dev/tenant"' in with_spares
    assert "manageJobsWithoutQueueName" not in configuration(EKS)


@pytest.mark.parametrize(
    ("tenants", "nodes"),
    [
        ([], NODES - SPARES),
        ([{"name": "one"}], NODES - SPARES),
        ([{"name": "one", "max_nodes": 4}, {"name": "two", "max_nodes": 2}], 6),
    ],
)
def test_namespace_quotas_exclude_spares_without_queues(
    load: Load, tenants: list[dict[str, Any]], nodes: int
) -> None:
    spec = changed(WITH_SPARES, tenants=tenants, kubernetes__workloads=NO_QUEUES)
    found = list(tenant_manifests(load(spec), load_catalog()))
    assert namespaces(found) == nodes * ACCELERATORS_PER_NODE


def test_task_governance_quota_excludes_spares(load: Load) -> None:
    shares = instance_shares(load(GOVERNED))["p5.48xlarge"]
    assert sum(share.count for share in shares) == NODES - SPARES


def refused(spec: dict[str, Any]) -> dict[str, str]:
    cluster = Cluster.model_validate(changed(spec, partition="aws"))
    return {path_text(problem.path): problem.message for problem in spares.problems(cluster)}


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        (
            changed(WITH_SPARES, kubernetes__workloads=NO_QUEUES, tenants=TWO),
            "together use 12 nodes, but only 6",
        ),
        (
            changed(
                WITH_SPARES,
                kubernetes__workloads=NO_QUEUES,
                tenants=[],
                compute__2__instance_type="p5.48xlarge",
            ),
            "covers both `workers` and `trainium`",
        ),
        (
            changed(
                WITH_SPARES,
                kubernetes__workloads=NO_QUEUES,
                tenants=[],
                compute__1__instance_type="m5.4xlarge",
            ),
            "these nodes have none",
        ),
        (
            changed(GOVERNED, hyperpod={"task_governance": {"share_idle": True}}),
            "lends capacity without a quota",
        ),
        (changed(GOVERNED, tenants=[]), "quotas for tenants only"),
        (
            changed(HYPERPOD, compute__3__count=3, compute__3__spare_count=1),
            "Karpenter removes nodes",
        ),
        (
            changed(HYPERPOD, compute__1__spare_count=1, compute__1__mig_profile="all-1g.10gb"),
            "quotas of whole nodes",
        ),
        (
            changed(HYPERPOD, compute__1__spare_count=1, compute__1__restricted=True),
            "quotas of whole nodes",
        ),
    ],
)
def test_spares_without_an_effective_quota_are_refused(spec: dict[str, Any], words: str) -> None:
    [(path, message)] = refused(spec).items()
    assert path.endswith("spare_count")
    assert words in message


def test_duplicate_refusals_are_reported_once() -> None:
    assert refused(changed(WITH_SPARES, compute__0__spare_count=1)) == {}
    assert refused(changed(WITH_SPARES, compute__1__spare_count=NODES)) == {}
