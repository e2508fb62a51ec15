"""Tests of the ec2 quotas."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from clusterwright.aws.ec2.instances import Instance
from clusterwright.aws.ec2.volumes import Volume
from clusterwright.platforms.loading import load_cluster
from clusterwright.preflight.facts import counts, reservations
from tests.preflight.harness import Harness, quota
from tests.preflight.rules.support.quotas import RUNNING, SPOT, instances
from tests.preflight.rules.support.reservations import BLOCK, ID, RESERVED, on_ec2
from tests.support import specs
from tests.support.rich_specs import PARALLELCLUSTER_MINIMAL, PCS_MINIMAL, changed


def test_vcpus_are_counted_per_family(rule: Harness) -> None:
    spec = specs.unchecked(rule.folder, {"platform": "parallelcluster"})
    standard = quota("ec2", "L-1216C47A", 1000)
    finding = rule.fails(
        "CW-Q020",
        None,
        {**instances(*RUNNING), **standard, **quota("ec2", "L-417A185B", 800)},
        spec=spec,
        path="compute[1].count",
        message='4 × p5.48xlarge need 768 vCPU of "Running On-Demand P instances", '
        "704 vCPU are free in us-east-1",
        numbers=(768, 96, 800),
    )
    assert finding.hint
    assert "request 864: `clusterwright check " in finding.hint
    rule.passes(
        "CW-Q020",
        None,
        {**instances(*RUNNING), **standard, **quota("ec2", "L-417A185B", 864)},
        spec=spec,
    )


@pytest.mark.parametrize(
    "node",
    [
        Instance("p5.48xlarge", 192, "on-demand", None, None, "test"),
        Instance("p5.48xlarge", 192, "on-demand", "test"),
    ],
    ids=["launched by ParallelCluster", "of ParallelCluster's stack"],
)
def test_nodes_of_the_deployed_cluster_are_not_other_usage(rule: Harness, node: Instance) -> None:
    spec = specs.unchecked(rule.folder, {"platform": "parallelcluster"})
    answers = {**quota("ec2", "L-1216C47A", 1000), **quota("ec2", "L-417A185B", 768)}
    rule.passes("CW-Q020", None, {**instances(*[node] * 4), **answers}, spec=spec)
    other = Instance("p5.48xlarge", 192, "on-demand", None, None, "other")
    rule.fails(
        "CW-Q020",
        None,
        {**instances(other), **answers},
        spec=spec,
        path="compute[1].count",
        message="576 vCPU are free",
        numbers=(768, 192, 768),
    )


def test_spot_vcpus_are_counted_separately(rule: Harness) -> None:
    spec = specs.unchecked(rule.folder, {"platform": "parallelcluster", **SPOT})
    rule.fails(
        "CW-Q021",
        None,
        {**instances(*RUNNING), **quota("ec2", "L-7212CCBC", 768)},
        spec=spec,
        path="compute[1].count",
        message="All P Spot Instance Requests",
        numbers=(768, 192, 768),
    )
    rule.passes(
        "CW-Q021",
        None,
        {**instances(*RUNNING), **quota("ec2", "L-7212CCBC", 960)},
        spec=spec,
    )


@pytest.mark.parametrize("name", ["CW-Q020", "CW-Q021"])
def test_ec2_quotas_are_skipped_on_hyperpod(rule: Harness, name: str) -> None:
    rule.passes(name, SPOT, tested=False)


@pytest.mark.parametrize(
    "name", [f"CW-C03{n}" for n in (0, 1, 2, 3, 4, 5, 6, 7, 8, 9)] + ["CW-Q022"]
)
def test_reservations_are_skipped_on_hyperpod(rule: Harness, name: str) -> None:
    taken = {"kind": "capacity-block", "id": ID}
    spec = specs.unchecked(rule.folder, {"compute.1.capacity": taken, "run.hours": 5})
    rule.passes(name, spec=spec, tested=False)


def test_other_blocks_count_against_the_block_quota(rule: Harness) -> None:
    other = dataclasses.replace(BLOCK, id="cr-0123456789abcdef1", total_count=2)
    ended = dataclasses.replace(other, id="cr-0123456789abcdef2", state="expired")
    spec = on_ec2(rule, kind="capacity-block")
    facts: dict[Any, Any] = {reservations.Reservations(): (BLOCK, other, ended, RESERVED)}
    rule.fails(
        "CW-Q022",
        None,
        {**facts, **quota("ec2", "L-DA6814F2", 1000)},
        spec=spec,
        path="compute[1].count",
        message='4 × p5.48xlarge need 768 vCPU of "Concurrent P5 Capacity Blocks per account", '
        "616 vCPU are free",
        numbers=(768, 384, 1000),
    )
    rule.passes("CW-Q022", None, {**facts, **quota("ec2", "L-DA6814F2", 1152)}, spec=spec)


def test_family_without_a_documented_block_quota_is_unknown(rule: Harness) -> None:
    rule.unsure(
        "CW-Q022",
        spec=on_ec2(rule, {"compute.1.instance_type": "p6-b200.48xlarge"}, "capacity-block"),
        path="compute[1].count",
        message="a quota whose code is not known",
    )


def test_root_volumes_count_against_the_storage_of_the_region(rule: Harness) -> None:
    eks = {
        "platform": "eks",
        "compute": [
            {"name": "workers", "role": "compute", "instance_type": "p5.48xlarge", "count": 256}
        ],
    }
    volumes: dict[Any, Any] = {
        counts.GeneralPurposeVolumes(): (
            Volume(512, None),
            Volume(1024, None, "test"),
            Volume(1024, "test-cluster"),
        )
    }
    spec = specs.unchecked(rule.folder, eks)
    finding = rule.fails(
        "CW-Q023",
        None,
        {**volumes, **quota("ebs", "L-7A658B76", 50)},
        spec=spec,
        path="kubernetes.node_volume_gib",
        message='the root volumes of 256 nodes need 50 TiB of "Storage for General Purpose SSD '
        '(gp3) volumes, in TiB", 49.5 TiB are free in us-east-1',
        numbers=(50, 0.5, 50),
    )
    assert finding.hint
    assert "request 51: " in finding.hint
    rule.passes("CW-Q023", None, {**volumes, **quota("ebs", "L-7A658B76", 51)}, spec=spec)
    rule.passes("CW-Q023", tested=False)


@pytest.mark.parametrize(
    ("platform", "section", "nodes", "tib"),
    [
        # One controller or login node, and four workers.
        ("parallelcluster", {"root_volume_gib": 1024, "head_node_root_volume_gib": 512}, 5, 4.5),
        ("parallelcluster", {"head_node_root_volume_gib": 512}, 1, 0.5),
        ("pcs", {"root_volume_gib": 1024}, 5, 5),
    ],
)
def test_root_volumes_with_a_stated_capacity_count(
    rule: Harness, platform: str, section: dict[str, int], nodes: int, tib: float
) -> None:
    base = PCS_MINIMAL if platform == "pcs" else PARALLELCLUSTER_MINIMAL
    spec = load_cluster(
        specs.write(rule.folder / "spec.yaml", changed(base, **{platform: section}))
    )
    finding = rule.fails(
        "CW-Q023",
        None,
        {counts.GeneralPurposeVolumes(): (), **quota("ebs", "L-7A658B76", 0)},
        path=f"{platform}.{next(iter(section))}",
        message=f"the root volumes of {nodes} nodes need {tib:g} TiB",
        spec=spec,
    )
    assert (finding.requested, finding.used, finding.limit) == (tib, 0, 0)
