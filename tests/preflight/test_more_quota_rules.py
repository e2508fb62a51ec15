"""Quotas of what stands around a cluster: networks, databases, keys, buckets; and of growth."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from clusterwright.aws.ec2.network_interfaces import NetworkInterface
from clusterwright.aws.ec2.routes import Endpoint
from clusterwright.aws.ec2.vpc import SecurityGroup
from clusterwright.aws.rds import Database
from clusterwright.platforms.hyperpod.instance_groups import lifecycle_bucket
from clusterwright.platforms.security_group_rules import security_groups_built
from clusterwright.preflight.facts import counts, hyperpod, network, routes, storage
from tests.preflight.capacity import bought
from tests.preflight.existing_network import EXISTING, HERE, SUBNET, VPC
from tests.preflight.harness import Harness, quota
from tests.preflight.quota_facts import HOME, LUSTRE, OWN, clusters, usage
from tests.support import specs

NAT = {"network.egress": "nat"}
HOMES = {"storage.home": {"kind": "openzfs", "capacity_gib": 512}}
RDS = {"slurm.accounting": {"kind": "rds"}}
OURS = "test-network"


def test_number_of_openzfs_file_systems(rule: Harness) -> None:
    facts: dict[Any, Any] = {
        storage.FileSystems(): (HOME, LUSTRE, dataclasses.replace(HOME, lifecycle="FAILED"))
    }
    rule.fails(
        "CW-Q034",
        HOMES,
        {**facts, **quota("fsx", "L-59D0763F", 1)},
        path="storage.home",
        message='home directories need 1 of "OpenZFS file systems", 0 are free',
        numbers=(1, 1, 1),
    )
    rule.passes("CW-Q034", HOMES, {**facts, **quota("fsx", "L-59D0763F", 2)})
    rule.passes("CW-Q034", tested=False)


def test_size_of_an_openzfs_file_system(rule: Harness) -> None:
    rule.fails(
        "CW-Q037",
        HOMES,
        quota("fsx", "L-7D5FDD38", 256),
        path="storage.home.capacity_gib",
        message="home directories need 512 GiB",
        numbers=(512, 0, 256),
    )
    rule.passes("CW-Q037", HOMES, quota("fsx", "L-7D5FDD38", 512))


def test_read_cache_of_intelligent_tiering(rule: Harness) -> None:
    tiering = {
        "mount_path": "/fsx",
        "storage_type": "INTELLIGENT_TIERING",
        "throughput_mbps": 4000,
        "read_cache": {"mode": "provisioned", "capacity_gib": 3000},
    }
    theirs = dataclasses.replace(LUSTRE, read_cache_gib=98_000)
    facts: dict[Any, Any] = {
        storage.FileSystems(): (theirs, dataclasses.replace(theirs, stack="test-storage"))
    }
    rule.fails(
        "CW-Q038",
        {"storage.lustre": [tiering]},
        {**facts, **quota("fsx", "L-B7391FCE", 100_800)},
        path="storage.lustre[0].read_cache.capacity_gib",
        message="need 3,000 GiB",
        numbers=(3000, 98_000, 100_800),
    )
    rule.passes(
        "CW-Q038",
        {"storage.lustre": [tiering]},
        {**facts, **quota("fsx", "L-B7391FCE", 101_000)},
    )


def test_internet_gateways(rule: Harness) -> None:
    full: dict[Any, Any] = {counts.InternetGateways(): (None, "other-network", None, None, None)}
    rule.fails(
        "CW-Q043",
        NAT,
        {**full, **quota("vpc", "L-A4707A72", 5)},
        path="network.egress",
        message="a NAT gateway needs 1",
        numbers=(1, 5, 5),
    )
    own: dict[Any, Any] = {counts.InternetGateways(): (None, OURS, None, None, None)}
    rule.passes("CW-Q043", NAT, {**own, **quota("vpc", "L-A4707A72", 5)})
    rule.passes("CW-Q043", tested=False)


def interfaces(count: int, subnet: str = SUBNET) -> tuple[NetworkInterface, ...]:
    return tuple(
        NetworkInterface(f"eni-{n}", VPC, subnet, "us-east-1d", (), 1) for n in range(count)
    )


def test_network_interfaces_of_the_zone(rule: Harness) -> None:
    # Four p5.48xlarge with 32 network cards each, and the controller.
    facts: dict[Any, Any] = {
        counts.NetworkInterfaces(): (*interfaces(300), *interfaces(900, "subnet-elsewhere")),
        network.Subnets(): (HERE,),
        hyperpod.HyperPodClusters(): (),
    }
    rule.fails(
        "CW-Q044",
        None,
        {**facts, **quota("vpc", "L-DF5E4CA3", 400)},
        path="compute[1].count",
        message="5 nodes need 129",
        severity="warning",
        numbers=(129, 300, 400),
    )
    rule.passes("CW-Q044", None, {**facts, **quota("vpc", "L-DF5E4CA3", 429)})
    # The deployed cluster's own six nodes hold 192 of the 300.
    standing: dict[Any, Any] = {**facts, hyperpod.HyperPodClusters(): (OWN,)}
    rule.passes("CW-Q044", None, {**standing, **quota("vpc", "L-DF5E4CA3", 237)})


def test_on_ec2_too_few_network_interfaces_are_an_error(rule: Harness) -> None:
    facts: dict[Any, Any] = {
        counts.NetworkInterfaces(): (),
        network.Subnets(): (),
        hyperpod.HyperPodClusters(): (),
        **quota("vpc", "L-DF5E4CA3", 100),
    }
    rule.fails(
        "CW-Q044",
        None,
        facts,
        spec=specs.unchecked(rule.folder, {"platform": "parallelcluster"}),
        path="compute[1].count",
        message="5 nodes need 133",
        severity="error",
    )


def groups(*stacks: str | None) -> dict[Any, Any]:
    found = tuple(SecurityGroup(f"sg-{n}", VPC, (), (), s) for n, s in enumerate(stacks))
    return {network.SecurityGroups(): found}


def test_security_groups_of_the_region(rule: Harness) -> None:
    # Nodes and endpoints, and the default group of the VPC.
    limit = quota("vpc", "L-E79EC296", 4)
    rule.fails(
        "CW-Q045",
        None,
        {**groups(None, None), **limit},
        path="network",
        message="a new network needs 3",
        numbers=(3, 2, 4),
    )
    rule.passes("CW-Q045", None, {**groups(None), **limit})
    # Deployed: two of ours, the default one without a tag, and one of others.
    rule.passes("CW-Q045", None, {**groups(OURS, OURS, None, None), **limit})
    rule.passes("CW-Q045", EXISTING, tested=False)


def test_rules_per_security_group(rule: Harness) -> None:
    wide = {**HOMES, **RDS, "storage.lustre": [{**specs.LUSTRE, "efa": False}]}
    rule.fails(
        "CW-Q046",
        wide,
        quota("vpc", "L-0EA8095F", 12),
        path="network",
        message="the security group of the nodes needs 13",
        numbers=(13, 0, 12),
    )
    rule.passes("CW-Q046", wide, quota("vpc", "L-0EA8095F", 13))


def test_groups_per_interface(rule: Harness) -> None:
    three = {**EXISTING["network"]["existing"], "security_group_ids": ["sg-1", "sg-2", "sg-3"]}
    three["security_group_ids"] = [f"sg-0000000{n}" for n in (1, 2, 3)]
    changes = {"network": {"availability_zone_id": "use1-az6", "existing": three}}
    rule.fails(
        "CW-Q047",
        changes,
        quota("vpc", "L-2AFB9258", 2),
        path="network.existing.security_group_ids",
        message="each node has 3 security groups",
        numbers=(3, 0, 2),
    )
    rule.passes("CW-Q047", changes, quota("vpc", "L-2AFB9258", 3))
    rule.passes("CW-Q047", None, quota("vpc", "L-2AFB9258", 1))


def test_interface_endpoints_of_the_vpc(rule: Harness) -> None:
    finding = rule.fails(
        "CW-Q048",
        None,
        quota("vpc", "L-29B6F2EB", 3),
        path="network.egress",
        message="a closed network needs",
    )
    assert isinstance(finding.requested, int)
    rule.passes("CW-Q048", None, quota("vpc", "L-29B6F2EB", finding.requested))
    rule.passes("CW-Q048", NAT, tested=False)


def gateway(stack: str | None, kind: str = "gateway") -> Endpoint:
    return Endpoint("vpce-1", VPC, kind, "s3", "available", False, (), (), (), None, stack)


def test_gateway_endpoints_of_the_region(rule: Harness) -> None:
    facts: dict[Any, Any] = {
        routes.Endpoints(): (gateway(None), gateway(OURS), gateway(None, "interface"))
    }
    rule.fails(
        "CW-Q049",
        None,
        {**facts, **quota("vpc", "L-1B52E74A", 1)},
        path="network",
        message="a new network needs 1",
        numbers=(1, 1, 1),
    )
    rule.passes("CW-Q049", None, {**facts, **quota("vpc", "L-1B52E74A", 2)})


def test_network_address_usage(rule: Harness) -> None:
    """A node of 32 cards has 32 addresses and 31 interfaces beside the first: 63 units."""
    facts: dict[Any, Any] = {
        counts.NetworkInterfaces(): interfaces(40),
        hyperpod.HyperPodClusters(): (),
    }
    rule.fails(
        "CW-Q050",
        EXISTING,
        {**facts, **quota("vpc", "L-BB24F6E5", 290)},
        path="compute[1].count",
        message="5 nodes need 253 NAU",
        severity="warning",
        numbers=(253, 40, 290),
    )
    rule.passes("CW-Q050", EXISTING, {**facts, **quota("vpc", "L-BB24F6E5", 293)})
    # A VPC that is built begins empty.
    rule.passes("CW-Q050", None, {**facts, **quota("vpc", "L-BB24F6E5", 253)})


def test_eks_clusters_of_the_region(rule: Harness) -> None:
    spec = specs.unchecked(rule.folder, {"platform": "hyperpod-eks"})
    limit = quota("eks", "L-1194D53C", 1)
    rule.fails(
        "CW-Q060",
        None,
        {counts.EksClusters(): ("other",), **limit},
        spec=spec,
        path="platform",
        message='the cluster needs 1 of "Clusters"',
        numbers=(1, 1, 1),
    )
    rule.passes("CW-Q060", None, {counts.EksClusters(): ("test",), **limit}, spec=spec)
    rule.passes("CW-Q060", tested=False)


THEIRS, MINE = Database("db-1", 900, None), Database("db-2", 100, "test-accounting")


@pytest.mark.parametrize(
    ("name", "code", "limit", "numbers", "path"),
    [
        ("CW-Q070", "L-7B6409FD", 1, (1, 1, 1), "kind"),
        ("CW-Q071", "L-7ADDB58A", 950, (100, 900, 950), "capacity_gib"),
    ],
)
def test_databases(
    rule: Harness, name: str, code: str, limit: int, numbers: tuple[int, ...], path: str
) -> None:
    changes = {"slurm.accounting": {"kind": "rds", "capacity_gib": 100}}
    facts: dict[Any, Any] = {counts.Databases(): (THEIRS, MINE)}
    outcome = rule.run(name, changes, {**facts, **quota("rds", code, limit)})
    (finding,) = outcome.findings
    assert (finding.requested, finding.used, finding.limit) == numbers
    assert finding.path == f"slurm.accounting.{path}"
    rule.passes(name, changes, {**facts, **quota("rds", code, limit + 50)})


def test_databases_of_others_count_and_ours_does_not(rule: Harness) -> None:
    facts: dict[Any, Any] = {counts.Databases(): (THEIRS, MINE)}
    where = "slurm.accounting"
    rule.fails(
        "CW-Q070",
        RDS,
        {**facts, **quota("rds", "L-7B6409FD", 1)},
        path=f"{where}.kind",
        message="",
    )
    rule.passes("CW-Q070", RDS, {**facts, **quota("rds", "L-7B6409FD", 2)})
    rule.fails(
        "CW-Q071",
        RDS,
        {**facts, **quota("rds", "L-7ADDB58A", 901)},
        path=f"{where}.capacity_gib",
        message="GB",
    )
    rule.passes("CW-Q071", RDS, {**facts, **quota("rds", "L-7ADDB58A", 5000)})


def test_groups_of_databases(rule: Harness) -> None:
    names = ("a", "b")
    found: dict[Any, Any] = {
        counts.DatabaseSubnetGroups(): names,
        counts.DatabaseParameterGroups(): names,
        counts.Databases(): (THEIRS,),
    }
    rule.fails(
        "CW-Q072",
        RDS,
        {**found, **quota("rds", "L-48C6BF61", 2)},
        path="slurm.accounting.kind",
        message='"DB subnet groups"',
        numbers=(1, 2, 2),
    )
    rule.passes("CW-Q072", RDS, {**found, **quota("rds", "L-48C6BF61", 3)})
    rule.fails(
        "CW-Q073",
        RDS,
        {**found, **quota("rds", "L-DE55804A", 2)},
        path="slurm.accounting.kind",
        message='"Parameter groups"',
        numbers=(1, 2, 2),
    )
    rule.passes("CW-Q073", RDS, {**found, **quota("rds", "L-DE55804A", 3)})
    # One of the two is ours, because our database stands.
    standing: dict[Any, Any] = {**found, counts.Databases(): (MINE,)}
    rule.passes("CW-Q072", RDS, {**standing, **quota("rds", "L-48C6BF61", 2)})
    rule.passes("CW-Q073", RDS, {**standing, **quota("rds", "L-DE55804A", 2)})


def test_kms_keys(rule: Harness) -> None:
    keys = counts.KeyCount("alias/test")
    limit = quota("kms", "L-C2F1777E", 7)
    rule.fails(
        "CW-Q080",
        None,
        {keys: (7, False), **limit},
        path="identity",
        message="the cluster's key needs 1",
        numbers=(1, 7, 7),
    )
    rule.passes("CW-Q080", None, {keys: (7, True), **limit})
    key = f"arn:aws:kms:us-east-1:{specs.ACCOUNT}:key/1"
    rule.passes("CW-Q080", {"identity.kms_key_arn": key}, tested=False)


def test_buckets(rule: Harness) -> None:
    built = {"storage.buckets": [{"name": "acme-new", "create": True}, {"name": "acme-old"}]}
    limit = quota("s3", "L-DC2B2D3D", 2)
    rule.fails(
        "CW-Q081",
        built,
        {counts.BucketNames(): ("acme-old",), **limit},
        path="storage",
        message="2 new buckets need 2",
        numbers=(2, 1, 2),
    )
    own = lifecycle_bucket(specs.load(rule.folder, built).cluster)
    rule.passes("CW-Q081", built, {counts.BucketNames(): (own, "acme-new"), **limit})


GROWS = {"compute.1.max_count": 16}


def growth(p5: float, each: float = 100) -> dict[Any, Any]:
    """Every fact that growth asks for; only the quota of the type and of a cluster are short."""
    return {
        **clusters(),
        **usage(p5),
        **quota("sagemaker", "L-2CE978FC", each),
        **quota("sagemaker", "L-3308CCC7", 1000),
        **quota("vpc", "L-DF5E4CA3", 5000),
        **quota("vpc", "L-BB24F6E5", 64000),
        counts.NetworkInterfaces(): (),
        network.Subnets(): (),
    }


def test_growth_that_the_quota_does_not_allow_is_said_today(rule: Harness) -> None:
    finding = rule.fails(
        "CW-Q095",
        GROWS,
        growth(8),
        path="compute[1].max_count",
        message="this passes today, max_count will not: 16 × ml.p5.48xlarge need 16",
        severity="warning",
        numbers=(16, 0, 8),
    )
    assert finding.quota_code == "L-8762A75F"
    assert finding.hint
    assert finding.hint.startswith("request 16: ")
    rule.passes("CW-Q095", GROWS, growth(16))
    rule.passes("CW-Q095", tested=False)
    rule.passes("CW-Q095", {"compute.1.max_count": 4}, tested=False)


def test_growth_of_what_fails_already_is_said_with_its_own_number(rule: Harness) -> None:
    rule.fails(
        "CW-Q095",
        GROWS,
        growth(2),
        path="compute[1].max_count",
        message="at max_count: 16 × ml.p5.48xlarge need 16",
    )


def test_growth_counts_all_instances_of_a_cluster(rule: Harness) -> None:
    rule.fails(
        "CW-Q095",
        GROWS,
        growth(16, each=16),
        path="compute[1].max_count",
        message="17 instances in one cluster need 17",
        numbers=(17, 0, 16),
    )


def test_a_group_from_a_plan_grows_in_the_plans_quota(rule: Harness) -> None:
    plan = {"compute.1.capacity": {"kind": "training-plan", "arn": specs.PLAN}, **GROWS}
    facts: dict[Any, Any] = {
        **growth(0),
        **bought(),
        hyperpod.TrainingPlans(): (),
        **quota("sagemaker", "L-9EF527CA", 8),
    }
    rule.fails(
        "CW-Q095",
        plan,
        facts,
        path="compute[1].max_count",
        message="instances in reserved capacity across training plans",
        numbers=(16, 0, 8),
    )


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {**HOMES, **RDS, "storage.lustre": [specs.LUSTRE]},
        {**HOMES, **NAT, "storage.lustre": [{**specs.LUSTRE, "efa": False}]},
    ],
)
def test_the_count_of_rules_is_that_of_the_template(
    rule: Harness, changes: dict[str, Any]
) -> None:
    import aws_cdk as cdk

    from stacks.network.security_groups import SecurityGroups

    cluster = specs.load(rule.folder, changes).cluster
    stack = cdk.Stack(cdk.App(), "Network")
    SecurityGroups(stack, "Groups", cluster, vpc_id="vpc-1")
    template = cdk.assertions.Template.from_stack(stack).to_json()["Resources"]
    built: dict[str, list[int]] = {}
    for name, resource in template.items():
        if resource["Type"] == "AWS::EC2::SecurityGroup":
            egress = resource["Properties"].get("SecurityGroupEgress", [])
            built[name] = [0, len(egress)]
    for resource in template.values():
        for place, kind in enumerate(("Ingress", "Egress")):
            if resource["Type"] == f"AWS::EC2::SecurityGroup{kind}":
                built[resource["Properties"]["GroupId"]["Fn::GetAtt"][0]][place] += 1
    expected = sorted(security_groups_built(cluster).values())
    assert sorted((a, b) for a, b in built.values()) == expected
