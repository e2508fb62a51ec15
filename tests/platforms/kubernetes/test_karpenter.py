"""Karpenter's classes and pools for each group of the spec."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.catalog import Known, load_catalog
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.platforms.eks.launch_templates import interfaces, labels
from clusterwright.platforms.kubernetes import karpenter as subject
from clusterwright.platforms.kubernetes.groups import job_nodes
from clusterwright.platforms.kubernetes.render import manifests
from clusterwright.platforms.kubernetes.values import chart_values
from tests.platforms.kubernetes.conftest import Load
from tests.platforms.kubernetes.specs import EKS, KARPENTER, OUTPUTS
from tests.support.rich_specs import changed


def rendered(cluster: Cluster, outputs: dict[str, str] = OUTPUTS) -> dict[str, dict[str, Any]]:
    """The spec of each object, by kind and name."""
    found = manifests(cluster, load_catalog(), "autoscaling", outputs)
    return {f"{m['kind']}/{m['metadata']['name']}": m["spec"] for m in found}


@pytest.fixture(scope="module")
def cluster(load: Load) -> Cluster:
    return load(KARPENTER)


@pytest.fixture(scope="module")
def specs(cluster: Cluster) -> dict[str, dict[str, Any]]:
    return rendered(cluster)


def requirement(pool: dict[str, Any], key: str) -> list[str]:
    found = {one["key"]: one["values"] for one in pool["template"]["spec"]["requirements"]}
    values: list[str] = found[key]
    return values


def name_of(specs: dict[str, dict[str, Any]], kind: str, group: str) -> str:
    """`Block-1` is not a valid Kubernetes name: a digest is appended."""
    (found,) = [key for key in specs if key.startswith(f"{kind}/{group}")]
    return found


def test_only_scaled_groups_have_a_class_and_a_pool(
    specs: dict[str, dict[str, Any]],
) -> None:
    groups = ("block", "reserved", "spot", "system", "workers")
    wanted = {name_of(specs, kind, g) for g in groups for kind in ("EC2NodeClass", "NodePool")}
    assert wanted | {"NodeOverlay/" + n for n in _overlays(specs)} == set(specs)
    assert not any("trainium" in key for key in specs)


def _overlays(specs: dict[str, dict[str, Any]]) -> list[str]:
    return [key.removeprefix("NodeOverlay/") for key in specs if key.startswith("NodeOverlay/")]


@pytest.mark.parametrize(
    ("group", "capacity", "reservation", "nodes"),
    [
        ("system", "on-demand", None, "3"),
        ("workers", "on-demand", None, "8"),
        ("block", "reserved", "cr-0a1b2c3d4e5f60718", "2"),
        ("reserved", "reserved", "cr-0f1e2d3c4b5a69788", "1"),
        ("spot", "spot", None, "3"),
    ],
)
def test_capacity_and_limits_match_the_group(
    group: str,
    capacity: str,
    reservation: str | None,
    nodes: str,
    specs: dict[str, dict[str, Any]],
) -> None:
    pool = specs[name_of(specs, "NodePool", group)]
    node_class = specs[name_of(specs, "EC2NodeClass", group)]
    assert requirement(pool, "karpenter.sh/capacity-type") == [capacity]
    assert requirement(pool, "topology.k8s.aws/zone-id") == ["use1-az6"]
    # `count` is in managed node groups: Karpenter adds the rest.
    assert pool["limits"]["nodes"] == nodes
    terms = node_class.get("capacityReservationSelectorTerms")
    assert terms == ([{"id": reservation}] if reservation else None)


def test_nodes_are_configured_like_node_groups(
    cluster: Cluster, specs: dict[str, dict[str, Any]]
) -> None:
    node_class, group = specs["EC2NodeClass/workers"], cluster.compute[1]
    layout = interfaces(group, load_catalog())
    assert isinstance(layout, Known)
    assert [
        (one["networkCardIndex"], one["deviceIndex"], one["interfaceType"])
        for one in node_class["networkInterfaces"]
    ] == [(one.card, one.device, one.kind) for one in layout.value]
    assert len(layout.value) == 33
    (root,) = node_class["blockDeviceMappings"]
    assert root["deviceName"] == "/dev/xvda"
    assert root["ebs"]["kmsKeyID"] == OUTPUTS["KarpenterKeyArn"]
    assert (root["ebs"]["encrypted"], root["ebs"]["volumeSize"]) == (True, "200Gi")
    metadata = node_class["metadataOptions"]
    assert (metadata["httpTokens"], metadata["httpPutResponseHopLimit"]) == ("required", 1)
    assert node_class["instanceStorePolicy"] == "RAID0"
    assert node_class["instanceProfile"] == OUTPUTS["KarpenterInstanceProfile"]
    assert "role" not in node_class
    assert [one["id"] for one in node_class["securityGroupSelectorTerms"]] == [
        "sg-0a1b2c3d4e5f60718",
        "sg-0f1e2d3c4b5a69788",
    ]
    assert node_class["tags"] == {
        "Name": "test-workers",
        "clusterwright:environment": "test",
        "owner": "research",
    }
    template = specs["NodePool/workers"]["template"]
    assert template["metadata"]["labels"] == labels(group)
    assert template["spec"]["taints"] == [{"key": "nvidia.com/gpu", "effect": "NoSchedule"}]


def test_placement_groups_are_those_of_the_stack(specs: dict[str, dict[str, Any]]) -> None:
    placed = {
        key.removeprefix("EC2NodeClass/"): spec["placementGroupSelector"]["name"]
        for key, spec in specs.items()
        if "placementGroupSelector" in spec
    }
    # Never with a block, which EC2 refuses, nor with Spot unless the spec requests it.
    assert placed == {"workers": "test-cluster-w", "reserved": "test-cluster-r"}


def test_public_addresses_are_disabled(specs: dict[str, dict[str, Any]]) -> None:
    assert specs["EC2NodeClass/system"]["associatePublicIPAddress"] is False
    assert "associatePublicIPAddress" not in specs["EC2NodeClass/workers"]


def test_nodes_with_jobs_are_not_disrupted(specs: dict[str, dict[str, Any]]) -> None:
    for key, pool in specs.items():
        if not key.startswith("NodePool/"):
            continue
        assert pool["template"]["spec"]["expireAfter"] == "Never"
        assert "terminationGracePeriod" not in pool["template"]["spec"]
        disruption = pool["disruption"]
        assert disruption["consolidationPolicy"] == "WhenEmpty"
        budgets = {reason: b["nodes"] for b in disruption["budgets"] for reason in b["reasons"]}
        assert budgets == {"Empty": "100%", "Drifted": "0", "Underutilized": "0"}


def test_huge_pages_have_one_overlay_per_type(load: Load) -> None:
    job = {**KARPENTER["kubernetes"]["workloads"]["jobs"][0], "hugepages_mib": 10240}
    other = {**job, "name": "other", "group": "reserved", "node_count": 2, "hugepages_mib": 512}
    found = rendered(load(changed(KARPENTER, kubernetes__workloads__jobs=[job, other])))
    overlays = {
        spec["requirements"][0]["values"][0]: spec["capacity"]["hugepages-2Mi"]
        for key, spec in found.items()
        if key.startswith("NodeOverlay/")
    }
    # The request of the largest job of any group of the type; by default that of one job.
    assert overlays == {"p5.48xlarge": "10240Mi", "g6e.48xlarge": "5120Mi"}


def test_jobs_prevent_disruption_on_scaled_groups(load: Load) -> None:
    def annotations(spec: dict[str, Any]) -> list[dict[str, str]]:
        found = []
        for job in manifests(load(spec), load_catalog(), "jobs", OUTPUTS):
            replicas = job["spec"].get("pytorchReplicaSpecs") or job["spec"]["mpiReplicaSpecs"]
            for replica in replicas.values():
                found.append(replica["template"].get("metadata", {}).get("annotations", {}))
        return found

    assert annotations(KARPENTER) == [{"karpenter.sh/do-not-disrupt": "true"}] * 3
    fixed = changed(KARPENTER, compute__1__max_count=None)
    assert annotations(fixed) == [{}] * 3


def test_queues_share_nodes_added_by_karpenter(load: Load) -> None:
    workers = load(KARPENTER).compute[1]
    assert job_nodes(load(KARPENTER), workers) == 12
    assert job_nodes(load(changed(KARPENTER, kubernetes__autoscaling="off", **OFF)), workers) == 4


OFF: dict[str, Any] = {
    "compute__2__max_count": None,
    "compute__2__count": 2,
    "kubernetes__workloads__charts": KARPENTER["kubernetes"]["workloads"]["charts"][:-1],
}


def test_nothing_is_rendered_without_karpenter(load: Load) -> None:
    assert rendered(load(EKS), {}) == {}


@pytest.mark.parametrize(
    ("gone", "words"),
    [
        (("KarpenterSubnetIds", "KarpenterKeyArn"), "KarpenterSubnetIds, KarpenterKeyArn"),
        (("KarpenterPlacementGroups",), "KarpenterPlacementGroups"),
    ],
)
def test_missing_output_is_named(gone: tuple[str, ...], words: str, cluster: Cluster) -> None:
    outputs = {key: value for key, value in OUTPUTS.items() if key not in gone}
    with pytest.raises(subject.UnknownOutputError, match=words):
        rendered(cluster, outputs)


def test_outdated_outputs_are_refused(cluster: Cluster) -> None:
    outputs = {**OUTPUTS, "KarpenterPlacementGroups": '{"workers":"a"}'}
    with pytest.raises(subject.UnknownOutputError, match="of reserved"):
        rendered(cluster, outputs)
    # A group that was in a placement group at that time is no longer.
    more = '{"workers":"a","reserved":"b","system":"c","spot":"d"}'
    found = rendered(cluster, {**OUTPUTS, "KarpenterPlacementGroups": more})
    assert "placementGroupSelector" not in found["EC2NodeClass/system"]
    assert "placementGroupSelector" not in found["EC2NodeClass/spot"]


def test_chart_has_the_cluster_name(load: Load) -> None:
    values = chart_values(load(KARPENTER), load_catalog())["karpenter"]
    assert values["settings"]["clusterName"] == "test"
    assert values["settings"]["interruptionQueue"] == "test-karpenter"
    assert values["settings"]["isolatedVPC"] is True
    assert values["settings"]["featureGates"]["nodeRepair"] is True
    assert values["settings"]["featureGates"]["reservedCapacity"] is True
    assert values["replicas"] == 2
    assert values["nodeSelector"]["clusterwright.dev/role"] == "system"
    # Values of the spec take precedence.
    assert values["logLevel"] == "debug"
    open_network = changed(
        KARPENTER,
        network__egress="nat",
        compute__0__count=1,
        resilience={"node_recovery": "none"},
    )
    other = chart_values(load(open_network), load_catalog())["karpenter"]
    assert (other["replicas"], other["settings"]["isolatedVPC"]) == (1, False)
    assert other["settings"]["featureGates"]["nodeRepair"] is False


def test_controller_runs_on_static_nodes(load: Load) -> None:
    """Without a system group, on groups without taints; never on a group with 0 nodes."""
    spec = changed(
        KARPENTER,
        compute=[
            {"name": "a", "role": "compute", "instance_type": "m5.4xlarge", "count": 1},
            {**KARPENTER["compute"][1], "count": 9},
        ],
        kubernetes__workloads__jobs=[],
        kubernetes__workloads__charts=[],
    )
    values = chart_values(load(spec), load_catalog())["karpenter"]
    assert values["replicas"] == 1
    assert "nodeSelector" not in values
