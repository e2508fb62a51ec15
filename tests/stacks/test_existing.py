"""Existing resources are named, used, and never changed."""

from __future__ import annotations

from typing import Any

import pytest

from tests.stacks.templates import cluster_of, deployed_file, group_of, properties, text_of
from tests.support.rich_specs import ACCOUNT, MINIMAL, changed
from tests.support.synthesis import Assembly, Build

CONFIG = "configs/examples/existing-network.yaml"

# Types whose creation changes their target. Each would change an existing resource.
ALTERING = {
    "AWS::EC2::FlowLog",
    "AWS::EC2::Route",
    "AWS::EC2::SecurityGroupEgress",
    "AWS::EC2::SecurityGroupIngress",
    "AWS::EC2::SubnetRouteTableAssociation",
    "AWS::EC2::VPCEndpoint",
    "AWS::FSx::DataRepositoryAssociation",
    "AWS::SecretsManager::SecretTargetAttachment",
}


@pytest.fixture
def existing(synth: Any) -> Assembly:
    found: Assembly = synth(CONFIG)
    return found


def test_nothing_is_created_for_existing_resources(existing: Assembly) -> None:
    assert set(existing.templates) == {
        "existing-lifecycle",
        "existing-observability",
        "existing-cluster",
    }
    for kind in ALTERING | {"AWS::KMS::Key", "AWS::EC2::SecurityGroup", "AWS::FSx::FileSystem"}:
        assert not existing.resources(kind), kind


def test_cluster_uses_the_network_and_file_system_group(existing: Assembly) -> None:
    assert cluster_of(existing)["VpcConfig"] == {
        "SecurityGroupIds": ["sg-0a1b2c3d4e5f60718", "sg-0f1e2d3c4b5a69788"],
        "Subnets": ["subnet-0a1b2c3d4e5f60718"],
    }


def test_cluster_mounts_the_file_systems_and_uses_the_database(existing: Assembly) -> None:
    text = text_of(group_of(existing, "workers"))
    assert "fs-0a1b2c3d4e5f60718.fsx.us-east-1.amazonaws.com" in text
    assert "fs-0f1e2d3c4b5a69788.fsx.us-east-1.amazonaws.com" in text
    database = cluster_of(existing)["Orchestrator"]["Slurm"]["AccountingDatabase"]
    assert database["Port"] == 3306
    assert database["SecretArn"].endswith(":secret:slurm-accounting-AbCdEf")
    deployed = deployed_file(existing, "deployment.json")
    assert deployed["lustre"][0]["mount_name"] == "fsxmount"
    told = deployed_file(existing, "cluster.json")["lustre"]
    # Nodes make no folder of it writable for users.
    assert [entry["existing"] for entry in told] == [True]
    assert deployed["accounting"]["port"] == 3306


def test_key_and_boundary_are_used(existing: Assembly) -> None:
    key = f"arn:aws:kms:us-east-1:{ACCOUNT}:key/1234abcd-12ab-34cd-56ef-1234567890ab"
    assert key in text_of(group_of(existing, "workers"))
    for role in properties(existing, "AWS::IAM::Role"):
        assert role["PermissionsBoundary"] == f"arn:aws:iam::{ACCOUNT}:policy/platform-boundary"


def test_existing_buckets_get_no_policy(existing: Assembly) -> None:
    assert [p["BucketName"][:19] for p in properties(existing, "AWS::S3::Bucket")] == [
        "sagemaker-existing-"
    ]
    for policy in properties(existing, "AWS::S3::BucketPolicy"):
        assert "Ref" in policy["Bucket"]


def test_association_does_not_change_an_existing_bucket(build: Build) -> None:
    repository = {"s3": "s3://test-existing/data", "path": "/data", "import": ["NEW"]}
    file_system = {
        "capacity_gib": 2400,
        "throughput_mbps_per_tib": 250,
        "repositories": [repository],
    }
    assembly = build(changed(MINIMAL, storage={"lustre": [file_system]}))
    assert assembly.resources("AWS::FSx::DataRepositoryAssociation")
    assert "test-existing" not in text_of(
        [properties(assembly, "AWS::S3::Bucket"), properties(assembly, "AWS::S3::BucketPolicy")]
    )


def test_resources_in_an_existing_network_have_its_groups(build: Build) -> None:
    """These allow all traffic among their members, so no rule has to be added."""
    spec = changed(
        MINIMAL,
        network={
            "availability_zone_id": "use1-az6",
            "existing": {
                "vpc_id": "vpc-0a1b2c3d4e5f60718",
                "subnet_ids": ["subnet-0a1b2c3d4e5f60718"],
                "security_group_ids": ["sg-0a1b2c3d4e5f60718"],
                "database_subnet_ids": ["subnet-0a1b2c3d4e5f60719", "subnet-0a1b2c3d4e5f6071a"],
            },
        },
        storage={
            "lustre": [{"capacity_gib": 2400, "throughput_mbps_per_tib": 250}],
            "home": {"kind": "openzfs", "capacity_gib": 64},
        },
        slurm={"accounting": {"kind": "rds"}},
    )
    assembly = build(spec)
    for file_system in properties(assembly, "AWS::FSx::FileSystem"):
        assert file_system["SecurityGroupIds"] == ["sg-0a1b2c3d4e5f60718"]
        assert file_system["SubnetIds"] == ["subnet-0a1b2c3d4e5f60718"]
    (instance,) = properties(assembly, "AWS::RDS::DBInstance")
    assert instance["VPCSecurityGroups"] == ["sg-0a1b2c3d4e5f60718"]
    (group,) = properties(assembly, "AWS::RDS::DBSubnetGroup")
    assert group["SubnetIds"] == ["subnet-0a1b2c3d4e5f60719", "subnet-0a1b2c3d4e5f6071a"]
    assert not assembly.resources("AWS::EC2::SecurityGroupIngress")


def test_only_the_existing_secret_is_readable(existing: Assembly) -> None:
    roles = text_of(existing.resources("AWS::IAM::Policy"))
    assert ":secret:slurm-accounting-AbCdEf" in roles
    assert "secret:*" not in roles
