"""The local AWS refuses what `clusterwright/review/update_rules.yaml` says that a service refuses.

Each refusal of the table has a case here, or a reason in its row (`local_aws`).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from clusterwright.review.update_rules import UpdateRule, rules
from clusterwright_localaws import local_aws
from clusterwright_localaws.core.runtime import Runtime
from clusterwright_localaws.services.eks.versions import VERSIONS, creatable
from packages.localaws.tests.eks_parts import EksSite, build_eks_site, cluster
from packages.localaws.tests.fsx_requests import create, lustre
from packages.localaws.tests.parts import Site, build_site, client, open_lustre_ports, refusal

FS, DB, EKS = "AWS::FSx::FileSystem", "AWS::RDS::DBInstance", "AWS::EKS::Cluster"
GROUP, HYPERPOD = "AWS::EKS::Nodegroup", "AWS::SageMaker::Cluster"
CONTINUOUS = {"NodeProvisioningMode": "Continuous"}
BLOCK = {
    "id": "cr-0a1b2c3d4e5f60718",
    "instance_type": "p5.48xlarge",
    "instance_count": 2,
    "zone_id": "use1-az6",
    "kind": "capacity-block",
    "state": "active",
    "start": "2026-11-20T00:00:00Z",
    "end": "2027-11-20T00:00:00Z",
}

Refusal = tuple[str, str]
CASES: dict[tuple[str, str, str], Callable[[], Refusal]] = {}
"""By type, property and refusal, as in `key_of`."""


def case(kind: str, *named: str) -> Callable[[Callable[[], Refusal]], Callable[[], Refusal]]:
    """Register a case for a type, a property (as in `key_of`) and the refusals of that row."""

    def add(what: Callable[[], Refusal]) -> Callable[[], Refusal]:
        prop, *refusals = named
        for words in refusals:
            CASES[kind, prop, words] = what
        return what

    return add


def key_of(rule: UpdateRule, words: str) -> tuple[str, str, str]:
    """Type, property with the values of the row's conditions, and refusal."""
    conditions = ",".join(rule.when.values())
    return rule.type, f"{rule.property} {conditions}".strip(), words


# --- FSx


def fsx_refusal(request: dict[str, Any], **change: Any) -> Refusal:
    made = create(request)
    return refusal(client("fsx").update_file_system, FileSystemId=made["FileSystemId"], **change)


def site() -> Site:
    found = build_site()
    open_lustre_ports(found, efa=True)
    return found


def persistent(capacity: int = 4800, **more: Any) -> dict[str, Any]:
    tier = {"DeploymentType": "PERSISTENT_2", "PerUnitStorageThroughput": 125}
    return lustre(site(), capacity, **{**tier, **more})


def hdd(capacity: int, throughput: int) -> dict[str, Any]:
    return lustre(
        site(),
        capacity,
        DeploymentType="PERSISTENT_1",
        StorageType="HDD",
        PerUnitStorageThroughput=throughput,
        DriveCacheType="NONE",
    )


def openzfs(capacity: int) -> dict[str, Any]:
    found = site()
    return {
        "FileSystemType": "OPENZFS",
        "StorageCapacity": capacity,
        "SubnetIds": [found.subnet_id],
        "SecurityGroupIds": [found.group_id],
        "OpenZFSConfiguration": {"DeploymentType": "SINGLE_AZ_1", "ThroughputCapacity": 64},
    }


@case(FS, "StorageCapacity LUSTRE,SCRATCH_1", "changed")
def scratch_1_grows() -> Refusal:
    return fsx_refusal(lustre(site(), 1200, DeploymentType="SCRATCH_1"), StorageCapacity=2400)


@case(FS, "StorageCapacity LUSTRE,HDD,12", "smaller")
def slow_hdd_shrinks() -> Refusal:
    return fsx_refusal(hdd(12000, 12), StorageCapacity=6000)


@case(FS, "StorageCapacity LUSTRE,HDD,12", "not-a-multiple-of 6000")
def slow_hdd_grows_by_another_step() -> Refusal:
    return fsx_refusal(hdd(12000, 12), StorageCapacity=13800)


@case(FS, "StorageCapacity LUSTRE,HDD", "smaller")
def hdd_shrinks() -> Refusal:
    return fsx_refusal(hdd(3600, 40), StorageCapacity=1800)


@case(FS, "StorageCapacity LUSTRE,HDD", "not-a-multiple-of 1800")
def hdd_grows_by_another_step() -> Refusal:
    return fsx_refusal(hdd(3600, 40), StorageCapacity=4800)


@case(FS, "StorageCapacity LUSTRE", "smaller")
def lustre_shrinks() -> Refusal:
    return fsx_refusal(persistent(), StorageCapacity=2400)


@case(FS, "StorageCapacity LUSTRE", "not-a-multiple-of 2400")
def lustre_grows_by_another_step() -> Refusal:
    return fsx_refusal(persistent(), StorageCapacity=6000)


@case(FS, "StorageCapacity OPENZFS", "smaller")
def openzfs_shrinks() -> Refusal:
    return fsx_refusal(openzfs(1000), StorageCapacity=500)


@case(FS, "StorageCapacity OPENZFS", "grows-by-less-than 10")
def openzfs_grows_a_little() -> Refusal:
    return fsx_refusal(openzfs(1000), StorageCapacity=1050)


@case(FS, "LustreConfiguration.PerUnitStorageThroughput true", "changed")
def throughput_with_efa_changes() -> Refusal:
    request = persistent(38400, EfaEnabled=True, MetadataConfiguration={"Mode": "AUTOMATIC"})
    return fsx_refusal(request, LustreConfiguration={"PerUnitStorageThroughput": 250})


@case(FS, "LustreConfiguration.ThroughputCapacity", "smaller")
def tiering_throughput_shrinks() -> Refusal:
    request = lustre(
        site(),
        None,
        StorageType="INTELLIGENT_TIERING",
        DeploymentType="PERSISTENT_2",
        ThroughputCapacity=8000,
        DataReadCacheConfiguration={"SizingMode": "PROPORTIONAL_TO_THROUGHPUT_CAPACITY"},
        MetadataConfiguration={"Mode": "USER_PROVISIONED", "Iops": 6000},
    )
    return fsx_refusal(request, LustreConfiguration={"ThroughputCapacity": 4000})


@case(FS, "LustreConfiguration.MetadataConfiguration", "added")
def metadata_is_added() -> Refusal:
    change = {"MetadataConfiguration": {"Mode": "AUTOMATIC"}}
    return fsx_refusal(persistent(), LustreConfiguration=change)


@case(FS, "LustreConfiguration.MetadataConfiguration.Iops", "smaller")
def metadata_iops_shrink() -> Refusal:
    settings = [{"Mode": "USER_PROVISIONED", "Iops": iops} for iops in (12000, 6000)]
    return fsx_refusal(
        persistent(MetadataConfiguration=settings[0]),
        LustreConfiguration={"MetadataConfiguration": settings[1]},
    )


@case(FS, "FileSystemTypeVersion", "older")
def lustre_version_goes_back() -> Refusal:
    return fsx_refusal(persistent(FileSystemTypeVersion="2.15"), FileSystemTypeVersion="2.12")


# --- RDS


def database() -> Any:
    rds = client("rds")
    rds.create_db_instance(
        DBInstanceIdentifier="db",
        DBInstanceClass="db.t3.large",
        Engine="mariadb",
        EngineVersion="10.11.6",
        AllocatedStorage=100,
        StorageType="gp3",
        MasterUsername="slurm",
        MasterUserPassword="password1",
    )
    rds.describe_db_instances()
    return rds


def rds_refusal(**change: Any) -> Refusal:
    return refusal(database().modify_db_instance, DBInstanceIdentifier="db", **change)


@case(DB, "AllocatedStorage", "smaller")
def database_shrinks() -> Refusal:
    return rds_refusal(AllocatedStorage=50)


@case(DB, "EngineVersion", "older")
def engine_goes_back() -> Refusal:
    return rds_refusal(EngineVersion="10.11.5")


@case(DB, "EngineVersion", "major-without-flag")
def engine_has_another_major_version() -> Refusal:
    return rds_refusal(EngineVersion="11.4.3")


# --- EKS


def eks_site(**more: Any) -> EksSite:
    found = build_eks_site()
    found.create(**more)
    return found


def minor_versions() -> list[str]:
    """Versions that can be created, the oldest first."""
    now = datetime.now(UTC)
    return [each.name for each in reversed(VERSIONS) if creatable(each.name, now)]


def launch_template(name: str, **data: Any) -> str:
    made = client("ec2").create_launch_template(
        LaunchTemplateName=name, LaunchTemplateData={"InstanceType": "m5.xlarge", **data}
    )["LaunchTemplate"]
    return str(made["LaunchTemplateId"])


def node_group(found: EksSite, **more: Any) -> dict[str, str]:
    request = found.group(**more)
    if "launchTemplate" in more:
        del request["instanceTypes"]
    eks = client("eks")
    eks.create_nodegroup(**request)
    name = {"clusterName": "eks", "nodegroupName": "system"}
    assert eks.describe_nodegroup(**name)["nodegroup"]["status"] == "ACTIVE"
    return name


@case(EKS, "Version", "not-the-next-minor")
def kubernetes_skips_a_minor() -> Refusal:
    oldest, *_, newest = minor_versions()
    eks_site(version=oldest)
    return refusal(client("eks").update_cluster_version, name="eks", version=newest)


@case(EKS, "EncryptionConfig", "changed")
def encryption_changes() -> Refusal:
    eks_site()
    for _ in range(2):
        key = client("kms").create_key()["KeyMetadata"]["Arn"]
        request = {
            "clusterName": "eks",
            "encryptionConfig": [{"resources": ["secrets"], "provider": {"keyArn": key}}],
        }
        if "encryptionConfig" not in cluster():
            client("eks").associate_encryption_config(**request)
    return refusal(client("eks").associate_encryption_config, **request)


@case(GROUP, "LaunchTemplate.Id", "changed")
def launch_template_changes() -> Refusal:
    found = eks_site()
    name = node_group(found, launchTemplate={"id": launch_template("one"), "version": "1"})
    other = {"id": launch_template("two"), "version": "1"}
    return refusal(client("eks").update_nodegroup_version, **name, launchTemplate=other)


@case(GROUP, "Version", "older")
def kubelet_goes_back() -> Refusal:
    older, newer = minor_versions()[-2:]
    name = node_group(eks_site(version=newer))
    return refusal(client("eks").update_nodegroup_version, **name, version=older)


def block_group() -> dict[str, str]:
    """A node group in a Capacity Block, with two nodes."""
    template = launch_template(
        "block",
        InstanceType="p5.48xlarge",
        InstanceMarketOptions={"MarketType": "capacity-block"},
        CapacityReservationSpecification={
            "CapacityReservationTarget": {"CapacityReservationId": BLOCK["id"]}
        },
    )
    older, newer = minor_versions()[-2:]
    name = node_group(
        eks_site(version=older),
        launchTemplate={"id": template, "version": "1"},
        capacityType="CAPACITY_BLOCK",
        scalingConfig={"minSize": 0, "maxSize": 2, "desiredSize": 2},
    )
    # A group is created with the version of its cluster.
    client("eks").update_cluster_version(name="eks", version=newer)
    return name


@case(GROUP, "LaunchTemplate", "capacity-block-with-nodes")
def template_of_a_block_changes() -> Refusal:
    name = block_group()
    found = client("eks").describe_nodegroup(**name)["nodegroup"]["launchTemplate"]
    client("ec2").create_launch_template_version(
        LaunchTemplateId=found["id"],
        SourceVersion="1",
        LaunchTemplateData={
            "InstanceType": "p5.48xlarge",
            "InstanceMarketOptions": {"MarketType": "capacity-block"},
        },
    )
    second = {"id": found["id"], "version": "2"}
    return refusal(client("eks").update_nodegroup_version, **name, launchTemplate=second)


@case(GROUP, "Version", "capacity-block-with-nodes")
def version_of_a_block_changes() -> Refusal:
    name = block_group()
    newest = minor_versions()[-1]
    return refusal(client("eks").update_nodegroup_version, **name, version=newest)


@case(GROUP, "ReleaseVersion", "capacity-block-with-nodes")
def release_of_a_block_changes() -> Refusal:
    name = block_group()
    found = client("eks").describe_nodegroup(**name)["nodegroup"]["version"]
    return refusal(
        client("eks").update_nodegroup_version,
        **name,
        version=found,
        releaseVersion=f"{found}.1-20261120",
    )


# --- SageMaker HyperPod


def hyperpod_refusal(before: dict[str, Any], after: dict[str, Any]) -> Refusal:
    found = site()
    second = client("ec2").create_subnet(
        VpcId=found.vpc_id, CidrBlock="10.0.192.0/18", AvailabilityZoneId="use1-az6"
    )["Subnet"]["SubnetId"]
    networks = {"first": found.subnet_id, "second": second}

    def group(settings: dict[str, Any]) -> dict[str, Any]:
        more = dict(settings)
        if "OverrideVpcConfig" in more:
            more["OverrideVpcConfig"] = {
                "Subnets": [networks[more["OverrideVpcConfig"]]],
                "SecurityGroupIds": [found.group_id],
            }
        return found.group("workers", 1, **more)

    found.create(group(before))
    return refusal(
        client("sagemaker").update_cluster, ClusterName="train", InstanceGroups=[group(after)]
    )


@case(HYPERPOD, "InstanceGroups[InstanceGroupName].OverrideVpcConfig", "changed")
def network_of_a_group_changes() -> Refusal:
    return hyperpod_refusal({"OverrideVpcConfig": "first"}, {"OverrideVpcConfig": "second"})


@case(HYPERPOD, "InstanceGroups[InstanceGroupName].OverrideVpcConfig", "added")
def network_of_a_group_is_added() -> Refusal:
    return hyperpod_refusal({}, {"OverrideVpcConfig": "second"})


@case(HYPERPOD, "InstanceGroups[InstanceGroupName].CapacityRequirements", "changed")
def capacity_kind_changes() -> Refusal:
    return hyperpod_refusal(
        {"CapacityRequirements": {"OnDemand": {}}}, {"CapacityRequirements": {"Spot": {}}}
    )


@case(HYPERPOD, "ClusterRole Enable", "changed")
def role_with_autoscaling_changes() -> Refusal:
    found = eks_site()
    workers = found.site.group("workers", 1, "ml.m5.xlarge", SlurmConfig=None)
    client("sagemaker").create_cluster(
        **found.hyperpod(
            workers,
            **CONTINUOUS,
            AutoScaling={"Mode": "Enable", "AutoScalerType": "Karpenter"},
            ClusterRole=found.site.role_arn,
        )
    )
    return refusal(
        client("sagemaker").update_cluster, ClusterName="train", ClusterRole=found.cluster_role
    )


# --- the tests

REFUSED = [(rule, words) for rule in rules() for words in rule.refused]
REFUSAL_CODES = {
    FS: {"BadRequest"},
    DB: {"InvalidParameterCombination"},
    EKS: {"InvalidParameterException"},
    GROUP: {"InvalidParameterException"},
    HYPERPOD: {"ValidationException"},
}
SAYS = {
    "smaller": "greater than|cannot be less|decreased|only be increased",
    "grows-by-less-than": "at least 10 percent",
    "not-a-multiple-of": "a multiple of (6000|1800|2400)",
    "changed": "cannot be (changed|increased|updated)|already enabled",
    "added": "without a metadata configuration|cannot be changed",
    "older": "newer than the current|Cannot upgrade|cannot go back|should be equal to Cluster",
    "not-the-next-minor": "minor version update",
    "major-without-flag": "AllowMajorVersionUpgrade",
    "capacity-block-with-nodes": "in a Capacity Block",
}


@pytest.mark.parametrize(
    ("rule", "words"), REFUSED, ids=[" ".join(key_of(rule, words)) for rule, words in REFUSED]
)
def test_refusal_of_the_table_is_made_or_has_a_reason(rule: UpdateRule, words: str) -> None:
    key = key_of(rule, words)
    if words in rule.local_aws:
        assert key not in CASES
        assert len(rule.local_aws[words]) > 20
        return
    with local_aws(capacity_reservations=[BLOCK]):
        code, message = CASES[key]()
    assert code in REFUSAL_CODES[rule.type], message
    assert re.search(SAYS[words.partition(" ")[0]], message), message


def test_cases_and_reasons_are_those_of_the_table() -> None:
    assert set(CASES) <= {key_of(rule, words) for rule, words in REFUSED}
    for rule in rules():
        assert rule.local_aws.keys() <= set(rule.refused), rule.property


WAITS: dict[tuple[str, str], tuple[Callable[[], Any], dict[str, Any], dict[str, Any]]] = {
    **{
        (FS, f"StorageCapacity {conditions}"): (
            request,
            {"StorageCapacity": first},
            {"StorageCapacity": second},
        )
        for conditions, request, first, second in (
            ("LUSTRE,HDD,12", lambda: hdd(6000, 12), 12000, 18000),
            ("LUSTRE,HDD", lambda: hdd(3600, 40), 5400, 7200),
            ("LUSTRE", persistent, 7200, 9600),
            ("OPENZFS", lambda: openzfs(1000), 1100, 1300),
        )
    },
    (DB, "AllocatedStorage"): (database, {"AllocatedStorage": 200}, {"AllocatedStorage": 300}),
    (DB, "StorageType"): (database, {"StorageType": "io1", "Iops": 1000}, {"StorageType": "gp3"}),
}


@pytest.mark.parametrize(
    "rule",
    [rule for rule in rules() if rule.waits_hours is not None],
    ids=lambda rule: key_of(rule, "")[1],
)
def test_second_change_is_refused_until_the_wait_is_over(rule: UpdateRule, aws: Runtime) -> None:
    kind, named, _ = key_of(rule, "")
    make, first, second = WAITS[kind, named]
    made = make()
    if kind == FS:
        update, name = client("fsx").update_file_system, "FileSystemId"
        identity = {name: create(made)[name]}
    else:
        update, identity = made.modify_db_instance, {"DBInstanceIdentifier": "db"}
        first, second = ({**change, "ApplyImmediately": True} for change in (first, second))
    update(**identity, **first)
    assert rule.waits_hours is not None
    aws.clock.advance(rule.waits_hours * 3600 - 60)
    code, message = refusal(update, **identity, **second)
    assert code in REFUSAL_CODES[kind]
    assert "six hours" in message
    aws.clock.advance(120)
    update(**identity, **second)
