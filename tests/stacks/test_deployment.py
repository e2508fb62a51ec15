"""The templates on the local AWS, in this process: deployed and destroyed, or retained."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from clusterwright_localaws import local_aws
from tests.stacks.deployment import Account, add_boundary, bootstrapped, order
from tests.support.rich_specs import FULL, MINIMAL, changed
from tests.support.synthesis import Build

DESTROY = changed(FULL, protection="destroy")
RETAIN = changed(FULL, protection="retain")


@pytest.fixture
def account() -> Iterator[Account]:
    """A bootstrapped account with the existing buckets of the specs."""
    with local_aws():
        yield bootstrapped()


def test_every_feature_is_deployed_and_destroyed(account: Account, build: Build) -> None:
    add_boundary(account)
    before = account.holdings()
    assembly = build(DESTROY)
    statuses = account.deploy(assembly)
    assert set(statuses.values()) == {"CREATE_COMPLETE"}
    assert account.nodes("test").count("workers") == 8
    file_systems = account.client("fsx").describe_file_systems()["FileSystems"]
    assert len(file_systems) == 4
    put_objects(account, "test-results")
    for name in reversed(order(assembly)):
        account.delete(name)
    assert account.holdings() == before


def put_objects(account: Account, bucket: str) -> None:
    """Objects and an older version, which prevent S3 from deleting a bucket."""
    for body in (b"one", b"two"):
        account.client("s3").put_object(Bucket=bucket, Key="result", Body=body)


def test_retain_refuses_deletion_and_keeps_stateful_resources(
    account: Account, build: Build
) -> None:
    add_boundary(account)
    assembly = build(RETAIN)
    account.deploy(assembly)
    cloudformation = account.client("cloudformation")
    protected = {"test-identity", "test-storage", "test-accounting"}
    for name in protected:
        with pytest.raises(cloudformation.exceptions.ClientError, match="TerminationProtection"):
            cloudformation.delete_stack(StackName=name)
    # Deliberate deletion: protection off, stacks deleted, and the data still exists.
    for name in ("test-cluster", "test-lifecycle", "test-observability"):
        account.delete(name)
    for name in ("test-storage", "test-accounting"):
        cloudformation.update_termination_protection(
            StackName=name, EnableTerminationProtection=False
        )
    # RDS refuses independently of CloudFormation.
    (database,) = account.client("rds").describe_db_instances()["DBInstances"]
    assert database["DeletionProtection"] is True
    account.delete("test-storage")
    account.delete("test-accounting")
    left = account.holdings()
    assert len(left["file systems"]) == 4
    assert left["databases"] == ["test-accounting"]
    assert {"test-results", "test-checkpoints"} <= set(left["buckets"])
    assert left["keys"]
    assert left["secrets"] == ["test/slurm-accounting"]


# -- what exists --------------------------------------------------------------------------------


def existing_resources(account: Account) -> dict[str, Any]:
    """A network, file systems, a bucket, a key and a database of another user, and a spec that
    names them.
    """
    ec2, fsx = account.client("ec2"), account.client("fsx")
    vpc = ec2.create_vpc(CidrBlock="10.9.0.0/16")["Vpc"]["VpcId"]
    subnet = ec2.create_subnet(VpcId=vpc, CidrBlock="10.9.0.0/20", AvailabilityZoneId="use1-az6")[
        "Subnet"
    ]["SubnetId"]
    group = ec2.create_security_group(GroupName="house", Description="all", VpcId=vpc)["GroupId"]
    itself = [{"IpProtocol": "-1", "UserIdGroupPairs": [{"GroupId": group}]}]
    ec2.authorize_security_group_ingress(GroupId=group, IpPermissions=itself)
    ec2.authorize_security_group_egress(GroupId=group, IpPermissions=itself)
    lustre = fsx.create_file_system(
        FileSystemType="LUSTRE",
        StorageCapacity=1200,
        SubnetIds=[subnet],
        SecurityGroupIds=[group],
        LustreConfiguration={"DeploymentType": "SCRATCH_2"},
    )["FileSystem"]
    home = fsx.create_file_system(
        FileSystemType="OPENZFS",
        StorageCapacity=64,
        SubnetIds=[subnet],
        SecurityGroupIds=[group],
        OpenZFSConfiguration={"DeploymentType": "SINGLE_AZ_1", "ThroughputCapacity": 64},
    )["FileSystem"]
    key = account.client("kms").create_key()["KeyMetadata"]["Arn"]
    secret = account.client("secretsmanager").create_secret(
        Name="house/slurm", SecretString='{"username": "u", "password": "p"}'
    )["ARN"]
    boundary = account.client("iam").create_policy(
        PolicyName="house-boundary",
        PolicyDocument=json.dumps(
            {
                "Version": "2012-10-17",
                "Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*"}],
            }
        ),
    )["Policy"]["Arn"]
    return changed(
        MINIMAL,
        protection="destroy",
        network={
            "availability_zone_id": "use1-az6",
            "existing": {"vpc_id": vpc, "subnet_ids": [subnet], "security_group_ids": [group]},
        },
        storage={
            "lustre": [
                {
                    "mount_path": "/fsx",
                    "existing": {
                        "id": lustre["FileSystemId"],
                        "dns_name": lustre["DNSName"],
                        "mount_name": lustre["LustreConfiguration"]["MountName"],
                        "security_group_id": group,
                    },
                }
            ],
            "home": {
                "kind": "openzfs",
                "existing": {"dns_name": home["DNSName"], "security_group_id": group},
            },
            "buckets": [{"name": "test-datasets", "mount_path": "/s3/datasets"}],
        },
        identity={"kms_key_arn": key, "permissions_boundary_arn": boundary},
        slurm={
            "accounting": {
                "kind": "rds",
                "existing": {"endpoint": "db.example.com", "secret_arn": secret},
            }
        },
    )


def all_existing(account: Account) -> dict[str, Any]:
    """All existing resources that a deployment could change, as described by the APIs."""
    ec2, s3 = account.client("ec2"), account.client("s3")

    def of_bucket(call: str) -> Any:
        try:
            return getattr(s3, call)(Bucket="test-datasets")
        except s3.exceptions.ClientError as error:
            return error.response["Error"]["Code"]

    seen: dict[str, Any] = {
        "vpcs": ec2.describe_vpcs()["Vpcs"],
        "routes": ec2.describe_route_tables()["RouteTables"],
        "endpoints": ec2.describe_vpc_endpoints()["VpcEndpoints"],
        "flow logs": ec2.describe_flow_logs()["FlowLogs"],
        "groups": ec2.describe_security_groups()["SecurityGroups"],
        "file systems": account.client("fsx").describe_file_systems()["FileSystems"],
        "bucket policy": of_bucket("get_bucket_policy"),
        "bucket encryption": of_bucket("get_bucket_encryption"),
        "bucket tags": of_bucket("get_bucket_tagging"),
        "secrets": [
            {k: v for k, v in s.items() if k != "LastAccessedDate"}
            for s in account.client("secretsmanager").list_secrets()["SecretList"]
        ],
        "keys": [
            account.client("kms").get_key_policy(KeyId=k["KeyId"], PolicyName="default")["Policy"]
            for k in account.client("kms").list_keys()["Keys"]
        ],
    }
    text = json.dumps(seen, default=str, sort_keys=True)
    plain: dict[str, Any] = json.loads(text)
    for value in plain.values():
        if isinstance(value, dict):
            value.pop("ResponseMetadata", None)
    return plain


def test_existing_resources_are_used_and_not_changed(
    account: Account, build: Build, tmp_path: Path
) -> None:
    spec = existing_resources(account)
    before, owned = all_existing(account), account.holdings()
    assembly = build(spec)
    assert set(account.deploy(assembly).values()) == {"CREATE_COMPLETE"}
    assert len(account.nodes("test")) == 5
    assert all_existing(account) == before
    account.deploy(build(changed(spec, compute__1__count=6)))
    assert len(account.nodes("test")) == 7
    assert all_existing(account) == before
    for name in reversed(order(assembly)):
        account.delete(name)
    assert all_existing(account) == before
    assert account.holdings() == owned
