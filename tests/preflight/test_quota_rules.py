"""Requested against applied quota less what others use; this cluster's own use is its own."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from clusterwright.aws.ec2.instances import Instance
from clusterwright.aws.ec2.vpc import NatGateway, Subnet, Vpc
from clusterwright.aws.fsx import FileSystem
from clusterwright.aws.sagemaker import Cluster, ClusterGroup
from clusterwright.preflight.facts import hyperpod, network, storage
from clusterwright.preflight.facts.instances import Instances
from tests.preflight.capacity import BOUGHT, SEGMENT
from tests.preflight.harness import Harness, quota
from tests.preflight.quota_facts import HOME, LUSTRE, ON_DEMAND, OWN, clusters, usage
from tests.support import specs

PLAN = {"compute.1.capacity": {"kind": "training-plan", "arn": specs.PLAN}}
SPOT = {"compute.1.capacity": {"kind": "spot"}}

OTHERS = Cluster(
    "another",
    "arn",
    "InService",
    (
        ON_DEMAND,
        ClusterGroup("b", "ml.p5.48xlarge", 3, True, None, 0),
        ClusterGroup("c", "ml.p5.48xlarge", 2, False, specs.PLAN, 0),
        ClusterGroup("d", "ml.m5.4xlarge", 1, False, None, 0),
    ),
)


def test_the_message_is_the_one_of_the_contract(rule: Harness) -> None:
    finding = rule.fails(
        "CW-Q012",
        {**PLAN, "compute.1.count": 64},
        {hyperpod.TrainingPlans(): (), **quota("sagemaker", "L-9EF527CA", 8)},
        path="compute[1].count",
        message="",
        severity="error",
        numbers=(64, 0, 8),
    )
    assert finding.message == (
        '64 × ml.p5.48xlarge need 64 of "instances in reserved capacity across training plans", '
        "8 are free in us-east-1"
    )
    assert finding.quota_code == "L-9EF527CA"
    assert finding.where == "sagemaker/L-9EF527CA in us-east-1"
    assert finding.hint
    assert "request 64: `clusterwright check " in finding.hint
    assert "days to weeks" in finding.hint


def test_reserved_capacity_of_other_plans_counts_and_the_specs_own_does_not(rule: Harness) -> None:
    elsewhere = dataclasses.replace(BOUGHT, name="other", arn=specs.PLAN + "-other")
    expired = dataclasses.replace(elsewhere, status="Expired")
    ended = dataclasses.replace(
        elsewhere, capacities=(dataclasses.replace(SEGMENT, status="Expired"),)
    )
    limit = quota("sagemaker", "L-9EF527CA", 7)
    plans = hyperpod.TrainingPlans()
    rule.passes("CW-Q012", PLAN, {plans: (BOUGHT, expired, ended), **limit})
    rule.fails(
        "CW-Q012",
        PLAN,
        {plans: (BOUGHT, elsewhere), **limit},
        path="compute[1].count",
        message="3 are free",
        numbers=(4, 4, 7),
    )
    rule.passes("CW-Q012", tested=False)


def test_instances_of_a_type_are_summed_over_groups(rule: Harness) -> None:
    second = {**specs.SMALL["compute"][1], "name": "more", "count": 5}
    rule.fails(
        "CW-Q001",
        {"compute.2": second},
        {**clusters(), **usage(8)},
        path="compute[2].count",
        message='9 × ml.p5.48xlarge need 9 of "ml.p5.48xlarge for cluster usage", 8 are free',
        numbers=(9, 0, 8),
    )
    rule.passes("CW-Q001", {"compute.2": second}, {**clusters(), **usage(9)})


def test_other_clusters_on_demand_use_counts(rule: Harness) -> None:
    rule.fails(
        "CW-Q001",
        None,
        {**clusters(OTHERS), **usage(9)},
        path="compute[1].count",
        message="3 are free",
        numbers=(4, 6, 9),
    )
    rule.passes("CW-Q001", None, {**clusters(OTHERS), **usage(10)})


def test_an_update_is_not_charged_for_what_it_has(rule: Harness) -> None:
    rule.passes("CW-Q001", None, {**clusters(OWN), **usage(4)})


def test_use_that_aws_measures_counts_beyond_what_can_be_listed(rule: Harness) -> None:
    rule.fails(
        "CW-Q001",
        None,
        {**clusters(OWN), **usage(12, measured=15)},
        path="compute[1].count",
        message="3 are free",
        numbers=(4, 9, 12),
    )
    rule.passes("CW-Q001", None, {**clusters(OWN), **usage(13, measured=15)})
    rule.passes("CW-Q001", None, {**clusters(OTHERS), **usage(10, measured=2)})


def test_one_free_instance_is_one(rule: Harness) -> None:
    rule.fails(
        "CW-Q001",
        None,
        {**clusters(), **usage(1)},
        path="compute[1].count",
        message="1 is free in us-east-1",
    )


def test_a_quota_below_the_present_use_leaves_nothing_not_less(rule: Harness) -> None:
    rule.fails(
        "CW-Q001",
        None,
        {**clusters(OTHERS), **usage(2)},
        path="compute[1].count",
        message="0 are free",
        numbers=(4, 6, 2),
    )


def test_a_type_whose_code_nobody_knows_is_unknown(rule: Harness) -> None:
    rule.unsure(
        "CW-Q001",
        {"compute.1.instance_type": "g5.48xlarge"},
        {**clusters(), **quota("sagemaker", "L-24520F3F", 100)},
        path="compute[1].count",
        message="a quota whose code is not known",
    )


def test_spot_has_quotas_of_its_own(rule: Harness) -> None:
    rule.fails(
        "CW-Q002",
        SPOT,
        {**clusters(OTHERS), **quota("sagemaker", "L-F742E2D7", 6)},
        path="compute[1].count",
        message="ml.p5.48xlarge for cluster spot instance usage",
        numbers=(4, 3, 6),
    )
    rule.passes("CW-Q002", SPOT, {**clusters(OTHERS), **quota("sagemaker", "L-F742E2D7", 7)})
    rule.passes("CW-Q002", tested=False)


def test_instances_per_cluster(rule: Harness) -> None:
    limit = quota("sagemaker", "L-2CE978FC", 20)
    rule.fails(
        "CW-Q003",
        {"compute.1.count": 20},
        limit,
        path="compute[1].count",
        message="21 instances in one cluster need 21",
        numbers=(21, 0, 20),
    )
    rule.passes("CW-Q003", {"compute.1.count": 19}, limit)


def test_instances_in_all_clusters(rule: Harness) -> None:
    rule.fails(
        "CW-Q004",
        None,
        {**clusters(OTHERS, OWN), **quota("sagemaker", "L-3308CCC7", 16)},
        path="compute[1].count",
        message="5 instances in one cluster need 5",
        numbers=(5, 12, 16),
    )
    rule.passes("CW-Q004", None, {**clusters(OTHERS, OWN), **quota("sagemaker", "L-3308CCC7", 17)})


def test_ebs_per_instance(rule: Harness) -> None:
    volume = {"compute.1.ebs": {"capacity_gib": 500}}
    rule.fails(
        "CW-Q005",
        volume,
        quota("sagemaker", "L-E13DF72A", 0),
        path="compute[1].ebs.capacity_gib",
        message="each ml.p5.48xlarge of `workers` needs 500 GB",
        numbers=(500, 0, 0),
    )
    rule.passes("CW-Q005", volume, quota("sagemaker", "L-E13DF72A", 500))
    rule.passes("CW-Q005", tested=False)


def test_spot_instances_per_cluster_and_in_all(rule: Harness) -> None:
    rule.fails(
        "CW-Q006",
        SPOT,
        quota("sagemaker", "L-41BFBF41", 3),
        path="compute[1].count",
        message="4 spot instances in one cluster need 4",
        numbers=(4, 0, 3),
    )
    rule.passes("CW-Q006", SPOT, quota("sagemaker", "L-41BFBF41", 4))
    rule.fails(
        "CW-Q007",
        SPOT,
        {**clusters(OTHERS), **quota("sagemaker", "L-97A2C724", 6)},
        path="compute[1].count",
        message="3 are free",
        numbers=(4, 3, 6),
    )
    rule.passes("CW-Q007", SPOT, {**clusters(OTHERS), **quota("sagemaker", "L-97A2C724", 7)})


def instances(*found: Instance) -> dict[Any, Any]:
    return {Instances(): found}


RUNNING = (
    Instance("p4d.24xlarge", 96, "on-demand", None),
    Instance("p5.48xlarge", 192, "spot", None),
    Instance("p5.48xlarge", 192, "capacity-block", None),
    Instance("p5.48xlarge", 192, "on-demand", "test-cluster"),
    Instance("m5.large", 2, "on-demand", None),
)


def test_ec2_counts_vcpus_of_a_family(rule: Harness) -> None:
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
def test_nodes_of_the_cluster_that_stands_are_not_others(rule: Harness, node: Instance) -> None:
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


def test_ec2_counts_spot_apart(rule: Harness) -> None:
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
def test_on_hyperpod_ec2s_quotas_have_nothing_to_test(rule: Harness, name: str) -> None:
    rule.passes(name, SPOT, tested=False)


def systems(*found: FileSystem) -> dict[Any, Any]:
    return {storage.FileSystems(): found}


def test_lustre_capacity_counts_by_deployment_type(rule: Harness) -> None:
    changes = {"storage.lustre": [specs.LUSTRE]}
    standing = systems(
        LUSTRE,
        HOME,
        dataclasses.replace(LUSTRE, stack="test-storage"),
        dataclasses.replace(LUSTRE, lifecycle="FAILED"),
        dataclasses.replace(LUSTRE, deployment_type="SCRATCH_2"),
        dataclasses.replace(LUSTRE, deployment_type="PERSISTENT_1", storage_type="HDD"),
    )
    rule.fails(
        "CW-Q030",
        changes,
        {**standing, **quota("fsx", "L-8F1B9C74", 54_799)},
        path="storage.lustre[0].capacity_gib",
        message="Lustre PERSISTENT_2 file systems need 4,800 GiB",
        numbers=(4800, 50_000, 54_799),
    )
    rule.passes("CW-Q030", changes, {**standing, **quota("fsx", "L-8F1B9C74", 54_800)})
    rule.passes("CW-Q030", tested=False)


def test_lustre_file_systems_are_counted(rule: Harness) -> None:
    changes = {"storage.lustre": [specs.LUSTRE]}
    rule.fails(
        "CW-Q031",
        changes,
        {**systems(LUSTRE, LUSTRE), **quota("fsx", "L-FD6F2F22", 2)},
        path="storage.lustre[0]",
        message="1 new Lustre file system needs 1",
        numbers=(1, 2, 2),
    )
    rule.passes("CW-Q031", changes, {**systems(LUSTRE, HOME), **quota("fsx", "L-FD6F2F22", 2)})


def test_tiering_throughput_is_counted(rule: Harness) -> None:
    tiering = {
        "mount_path": "/fsx", "storage_type": "INTELLIGENT_TIERING", "throughput_mbps": 8000
    }  # fmt: skip
    changes = {"storage.lustre": [tiering]}
    standing = systems(
        dataclasses.replace(LUSTRE, storage_type="INTELLIGENT_TIERING", throughput_mbps=4000)
    )
    rule.fails(
        "CW-Q032",
        changes,
        {**standing, **quota("fsx", "L-0CD18A5D", 11_999)},
        path="storage.lustre[0].throughput_mbps",
        message="Intelligent-Tiering file systems need 8,000 MBps",
        numbers=(8000, 4000, 11_999),
    )
    rule.passes("CW-Q032", changes, {**standing, **quota("fsx", "L-0CD18A5D", 12_000)})


def test_hdd_capacity_is_limited_per_file_system(rule: Harness) -> None:
    hdd = {
        "mount_path": "/fsx", "deployment_type": "PERSISTENT_1", "storage_type": "HDD",
        "capacity_gib": 108_000, "throughput_mbps_per_tib": 12,
    }  # fmt: skip
    changes = {"storage.lustre": [hdd]}
    rule.fails(
        "CW-Q033",
        changes,
        quota("fsx", "L-736F3D6F", 102_000),
        path="storage.lustre[0].capacity_gib",
        message="`fsx` needs 108,000 GiB",
        numbers=(108_000, 0, 102_000),
    )
    rule.passes("CW-Q033", changes, quota("fsx", "L-736F3D6F", 108_000))


@pytest.mark.parametrize(
    ("name", "code", "path", "used", "wanted"),
    [
        ("CW-Q035", "L-88479C21", "storage.home.capacity_gib", 1000, 512),
        ("CW-Q036", "L-4EDE4065", "storage.home.throughput_mbps", 64, 128),
    ],
)
def test_openzfs(rule: Harness, name: str, code: str, path: str, used: int, wanted: int) -> None:
    changes = {"storage.home": {"kind": "openzfs", "capacity_gib": 512}}
    standing = systems(LUSTRE, HOME, dataclasses.replace(HOME, stack="test-storage"))
    enough = used + wanted
    message = "home directories need"
    limit = quota("fsx", code, enough - 1)
    numbers = (wanted, used, enough - 1)
    rule.fails(name, changes, {**standing, **limit}, path=path, message=message, numbers=numbers)
    rule.passes(name, changes, {**standing, **quota("fsx", code, enough)})
    rule.passes(name, tested=False)


# The two rules of OpenZFS, by name, for `test_completeness`.
def test_openzfs_capacity_by_name(rule: Harness) -> None:
    changes = {"storage.home": {"kind": "openzfs", "capacity_gib": 512}}
    path = "storage.home.capacity_gib"
    short = {**systems(), **quota("fsx", "L-88479C21", 0)}
    rule.fails("CW-Q035", changes, short, path=path, message="512 GiB")
    rule.passes("CW-Q035", changes, {**systems(), **quota("fsx", "L-88479C21", 512)})


def test_openzfs_throughput_by_name(rule: Harness) -> None:
    changes = {"storage.home": {"kind": "openzfs", "capacity_gib": 512}}
    path = "storage.home.throughput_mbps"
    short = {**systems(), **quota("fsx", "L-4EDE4065", 0)}
    rule.fails("CW-Q036", changes, short, path=path, message="128 MBps")
    rule.passes("CW-Q036", changes, {**systems(), **quota("fsx", "L-4EDE4065", 128)})


def test_vpcs_of_others_count(rule: Harness) -> None:
    five = tuple(Vpc(f"vpc-{n}", ("10.0.0.0/16",), None) for n in range(5))
    own = Vpc("vpc-9", ("10.0.0.0/16",), "test-network")
    limit = quota("vpc", "L-F678F1CE", 5)
    rule.fails(
        "CW-Q040",
        None,
        {network.Vpcs(): (*five, own), **limit},
        path="network",
        message='a new VPC needs 1 of "VPCs per Region", 0 are free',
        numbers=(1, 5, 5),
    )
    rule.passes("CW-Q040", None, {network.Vpcs(): (*five[:4], own), **limit})


NAT = {"network.egress": "nat"}


def test_elastic_ips_count_with_a_nat_gateway_only(rule: Harness) -> None:
    limit = quota("ec2", "L-0263D0A3", 5)
    taken = {network.ElasticIps(): (None,) * 5 + ("test-network",)}
    rule.fails(
        "CW-Q041",
        NAT,
        {**taken, **limit},
        path="network.egress",
        message='a NAT gateway needs 1 of "EC2-VPC Elastic IPs", 0 are free',
        numbers=(1, 5, 5),
    )
    rule.passes("CW-Q041", NAT, {network.ElasticIps(): (None,) * 4, **limit})
    rule.passes("CW-Q041", tested=False)


def subnet(subnet_id: str, zone_id: str) -> Subnet:
    return Subnet(subnet_id, "vpc-1", "10.0.0.0/24", "", zone_id, 251, False, "", None)


def test_nat_gateways_count_by_zone(rule: Harness) -> None:
    here, there = subnet("subnet-1", "use1-az6"), subnet("subnet-2", "use1-az1")
    gateways = (*(NatGateway("subnet-1", None) for _ in range(5)), NatGateway("subnet-2", None))
    standing = {network.Subnets(): (here, there), **quota("vpc", "L-FE5A380F", 5)}
    rule.fails(
        "CW-Q042",
        NAT,
        {**standing, network.NatGateways(): gateways},
        path="network.egress",
        message="NAT gateways per Availability Zone",
        numbers=(1, 5, 5),
    )
    rule.passes("CW-Q042", NAT, {**standing, network.NatGateways(): gateways[1:]})
