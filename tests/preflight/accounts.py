"""Accounts in which every account rule has something to look at, and the specs that go with them.

Tests of what holds for all rules (`--iam-policy`, faults) run in each of them, so that a rule that
is added later is covered without being named. `test_sites.py` sees that none is left out.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import boto3

from clusterwright.catalog import load_catalog
from clusterwright.cluster_spec import LoadedSpec
from clusterwright.cost.retiring import find_file_system
from clusterwright.platforms.stack_names import PARTS, stack_name
from clusterwright.preflight import engine
from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.account import AppliedQuota
from clusterwright.preflight.facts.fact import Fact
from clusterwright.preflight.registry import rule_files
from clusterwright_localaws.testing import World, load_world, with_changes
from tests.support import specs

VPC = "vpc-0123456789abcdef0"
SUBNETS = ("subnet-0123456789abcdef0", "subnet-0123456789abcdef1")
GROUP = "sg-0123456789abcdef0"
BLOCK = "cr-0123456789abcdef0"
RESERVATION = "cr-0123456789abcdef1"
KEY = f"arn:aws:kms:us-east-1:{specs.ACCOUNT}:key/00000000-0000-0000-0000-000000000000"
SECRET = f"arn:aws:secretsmanager:us-east-1:{specs.ACCOUNT}:secret:slurm-AbCdEf"
IDENTITY_CENTER = "arn:aws:sso:::instance/ssoins-0123456789abcdef"
BOUNDARY = f"arn:aws:iam::{specs.ACCOUNT}:policy/boundary"

_NETWORK: dict[str, Any] = {
    "availability_zone_id": "use1-az6",
    "existing": {
        "vpc_id": VPC,
        "subnet_ids": [SUBNETS[0]],
        "security_group_ids": [GROUP],
    },
}

_CONTROL_PLANE_NETWORK: dict[str, Any] = {
    "availability_zone_id": "use1-az6",
    "existing": {**_NETWORK["existing"], "control_plane_subnet_ids": list(SUBNETS)},
}

Ids = dict[str, str]
"""Names that AWS assigns at creation: `key`, `secret`, `file_system`, ..."""


@dataclass(frozen=True)
class Site:
    """A spec, and the account that it fits in.

    `changes` makes the changes of the small spec from ids; without them it is a spec of the same
    facts for things that are not there. `make` makes those things and returns their ids.
    """

    name: str
    changes: Callable[[Ids], dict[str, Any]]
    world: Mapping[str, Any] = field(default_factory=dict)
    make: Callable[[], Ids] = dict
    unchecked: bool = False
    retire: str | None = None
    """Mount path of the file system that `check --retire` would check."""

    def context(self, folder: Path, ids: Ids | None = None) -> Context:
        spec = self.load(folder, ids)
        storage = None if self.retire is None else find_file_system(spec.cluster, self.retire)
        assert (storage is None) == (self.retire is None)
        today = dt.datetime.now(dt.UTC).date()
        return Context(spec, load_catalog(), today, retire=storage)

    def load(self, folder: Path, ids: Ids | None = None) -> LoadedSpec:
        changes = self.changes(ids or {})
        if self.unchecked:
            return specs.unchecked(folder, changes)
        return specs.load(folder, changes)

    def account(self, **more: Any) -> World:
        """The generous world with the resources of the spec.

        the usage of every quota is measured.
        """
        usage = {f"{q.service}/{q.code}": 1.0 for q in facts_of(self.name) if _is_quota(q)}
        return with_changes(load_world("generous"), {"usage": usage, **self.world, **more})

    def furnish(self) -> Ids:
        """Create the resources of the spec, and those of others.

        a cluster, a stack of this spec.
        """
        _cluster_of_others()
        stack = stack_name("test", PARTS[0])
        topic = {"Resources": {"Topic": {"Type": "AWS::SNS::Topic"}}}
        client("cloudformation").create_stack(StackName=stack, TemplateBody=json.dumps(topic))
        return self.make()


def client(service: str) -> Any:
    """An administrator's session."""
    return boto3.Session(
        aws_access_key_id=specs.ACCOUNT, aws_secret_access_key="local", region_name="us-east-1"
    ).client(service)


@cache
def needed(name: str) -> dict[str, tuple[Fact[Any], ...]]:
    """The facts that each rule needs at a site, without AWS calls."""
    with TemporaryDirectory() as folder:
        return engine.needed(rule_files(), SITES[name].context(Path(folder)))


def facts_of(name: str) -> tuple[Any, ...]:
    return tuple(dict.fromkeys(fact for facts in needed(name).values() for fact in facts))


def _is_quota(fact: Fact[Any]) -> bool:
    return isinstance(fact, AppliedQuota)


@cache
def _image() -> str:
    """An image of Amazon; every account has the same list, which is long."""
    images = client("ec2").describe_images(Owners=["amazon"])["Images"]
    return str(images[0]["ImageId"])


def _cluster_of_others() -> None:
    ec2, s3 = client("ec2"), client("s3")
    vpc = ec2.create_vpc(CidrBlock="10.9.0.0/16")["Vpc"]["VpcId"]
    subnet = ec2.create_subnet(VpcId=vpc, CidrBlock="10.9.0.0/20", AvailabilityZoneId="use1-az6")
    group = ec2.create_security_group(GroupName="nodes", Description="nodes", VpcId=vpc)
    trust = {
        "Effect": "Allow",
        "Principal": {"Service": "sagemaker.amazonaws.com"},
        "Action": "sts:AssumeRole",
    }
    iam = client("iam")
    role = iam.create_role(RoleName="nodes", AssumeRolePolicyDocument=_policy(trust))
    iam.put_role_policy(RoleName="nodes", PolicyName="all", PolicyDocument=_policy(_EVERYTHING))
    s3.create_bucket(Bucket="sagemaker-lifecycle")
    s3.put_object(Bucket="sagemaker-lifecycle", Key="base/on_create.sh", Body=b"#!/bin/sh\n")
    client("sagemaker").create_cluster(
        ClusterName="of-others",
        InstanceGroups=[
            {
                "InstanceGroupName": "controller",
                "InstanceType": "ml.m5.xlarge",
                "InstanceCount": 1,
                "ExecutionRole": role["Role"]["Arn"],
                "LifeCycleConfig": {
                    "SourceS3Uri": "s3://sagemaker-lifecycle/base",
                    "OnCreate": "on_create.sh",
                },
                "SlurmConfig": {"NodeType": "Controller"},
            }
        ],
        VpcConfig={
            "Subnets": [subnet["Subnet"]["SubnetId"]],
            "SecurityGroupIds": [group["GroupId"]],
        },
        Orchestrator={"Slurm": {}},
    )


_EVERYTHING = {"Effect": "Allow", "Action": "*", "Resource": "*"}


def _policy(statement: Mapping[str, Any]) -> str:
    return json.dumps({"Version": "2012-10-17", "Statement": [statement]})


def _bucket(name: str, region: str = "us-east-1") -> None:
    where = {"CreateBucketConfiguration": {"LocationConstraint": region}}
    client("s3").create_bucket(Bucket=name, **({} if region == "us-east-1" else where))


def _built(ids: Ids) -> dict[str, Any]:
    return {
        "compute.1.capacity": {"kind": "training-plan", "arn": specs.PLAN},
        "compute.1.ebs": {"capacity_gib": 500},
        "compute.2": {
            "name": "more",
            "role": "compute",
            "instance_type": "g5.48xlarge",
            "count": 1,
        },
        "compute.3": {
            "name": "spot",
            "role": "compute",
            "instance_type": "p5en.48xlarge",
            "count": 1,
            "capacity": {"kind": "spot"},
        },
        "run": {"hours": 24},
        "network.egress": "nat",
        "storage.lustre": [
            {
                **specs.LUSTRE,
                "repositories": [
                    {"s3": "s3://corpus-here/tokens", "path": "/data", "import": ["NEW"]}
                ],
            }
        ],
        "storage.home": {"kind": "openzfs", "capacity_gib": 128},
        "storage.image_repositories": [
            {"name": "training", "create": True},
            {"name": "evaluation"},
        ],
        "identity.kms_key_arn": ids.get("key", KEY),
        "identity.permissions_boundary_arn": BOUNDARY,
        "slurm.accounting": {"kind": "rds"},
    }


def _make_built() -> Ids:
    client("ecr").create_repository(repositoryName="evaluation")
    _bucket("corpus-here")
    client("s3").put_object(Bucket="corpus-here", Key="tokens/0", Body=b"0")
    client("iam").create_policy(PolicyName="boundary", PolicyDocument=_policy(_EVERYTHING))
    client("budgets").create_budget(
        AccountId=specs.ACCOUNT,
        Budget={
            "BudgetName": "team",
            "BudgetType": "COST",
            "TimeUnit": "MONTHLY",
            "BudgetLimit": {"Amount": "100", "Unit": "USD"},
        },
    )
    client("budgets").create_budget_action(
        AccountId=specs.ACCOUNT,
        BudgetName="team",
        NotificationType="ACTUAL",
        ActionType="APPLY_IAM_POLICY",
        ActionThreshold={"ActionThresholdValue": 90, "ActionThresholdType": "PERCENTAGE"},
        Definition={"IamActionDefinition": {"PolicyArn": BOUNDARY, "Roles": ["others"]}},
        ExecutionRoleArn=f"arn:aws:iam::{specs.ACCOUNT}:role/nodes",
        ApprovalModel="AUTOMATIC",
        Subscribers=[{"SubscriptionType": "EMAIL", "Address": "ml@acme.example"}],
    )
    key = client("kms").create_key()["KeyMetadata"]["Arn"]
    default = {"SSEAlgorithm": "aws:kms", "KMSMasterKeyID": key}
    client("s3").put_bucket_encryption(
        Bucket="corpus-here",
        ServerSideEncryptionConfiguration={
            "Rules": [{"ApplyServerSideEncryptionByDefault": default}]
        },
    )
    client("s3").put_bucket_lifecycle_configuration(
        Bucket="corpus-here",
        LifecycleConfiguration={
            "Rules": [
                {
                    "Status": "Enabled",
                    "Filter": {"Prefix": ""},
                    "AbortIncompleteMultipartUpload": {"DaysAfterInitiation": 7},
                }
            ]
        },
    )
    sessions = {"schemaVersion": "1.0", "sessionType": "Standard_Stream"}
    client("ssm").create_document(
        Name="SSM-SessionManagerRunShell",
        DocumentType="Session",
        Content=json.dumps({**sessions, "inputs": {"kmsKeyId": key}}),
    )
    return {"key": key}


def _existing(ids: Ids) -> dict[str, Any]:
    return {
        "network": {
            "availability_zone_id": "use1-az6",
            "existing": {
                "vpc_id": VPC,
                "subnet_ids": [SUBNETS[0]],
                "security_group_ids": [GROUP],
                "database_subnet_ids": list(SUBNETS),
            },
        },
        "storage.lustre": [
            {
                "mount_path": "/fsx",
                "efa": True,
                "existing": {
                    "id": ids.get("file_system", "fs-0123456789abcdef0"),
                    "dns_name": ids.get(
                        "dns_name", "fs-0123456789abcdef0.fsx.us-east-1.amazonaws.com"
                    ),
                    "mount_name": ids.get("mount_name", "abcdefgh"),
                    "security_group_id": GROUP,
                },
            }
        ],
        "storage.home": {
            "kind": "openzfs",
            "existing": {
                "dns_name": ids.get(
                    "home_name", "fs-0123456789abcdef1.fsx.us-east-1.amazonaws.com"
                ),
                "security_group_id": GROUP,
            },
        },
        "storage.checkpoint_path": "/fsx/checkpoints",
        "run": {"hours": 24, "checkpoint_gib": 1000, "max_checkpoint_seconds": 600},
        # Grows in the existing subnet.
        "compute.1.max_count": 8,
        "image": {"image_id": ids.get("image", "ami-0123456789abcdef0")},
        "slurm.accounting": {"kind": "rds"},
    }


def _make_existing() -> Ids:
    client("ec2").modify_vpc_attribute(VpcId=VPC, EnableDnsHostnames={"Value": True})
    made = client("fsx").create_file_system(
        FileSystemType="LUSTRE",
        StorageCapacity=4800,
        SubnetIds=[SUBNETS[0]],
        SecurityGroupIds=[GROUP],
        LustreConfiguration={
            "DeploymentType": "PERSISTENT_2",
            "PerUnitStorageThroughput": 1000,
            "EfaEnabled": True,
            "MetadataConfiguration": {"Mode": "AUTOMATIC"},
        },
    )["FileSystem"]
    _bucket("kept-here")
    client("fsx").create_data_repository_association(
        FileSystemId=made["FileSystemId"],
        FileSystemPath="/",
        DataRepositoryPath="s3://kept-here",
        S3={"AutoExportPolicy": {"Events": ["NEW", "CHANGED", "DELETED"]}},
    )
    home = client("fsx").create_file_system(
        FileSystemType="OPENZFS",
        StorageCapacity=64,
        SubnetIds=[SUBNETS[0]],
        SecurityGroupIds=[GROUP],
        OpenZFSConfiguration={"DeploymentType": "SINGLE_AZ_1", "ThroughputCapacity": 64},
    )["FileSystem"]
    return {
        "home_name": home["DNSName"],
        "image": _image(),
        "file_system": made["FileSystemId"],
        "dns_name": made["DNSName"],
        "mount_name": made["LustreConfiguration"]["MountName"],
    }


def _tiers(ids: Ids) -> dict[str, Any]:
    return {
        "network": _NETWORK,
        "storage.lustre": [
            {
                "mount_path": "/archive",
                "deployment_type": "PERSISTENT_1",
                "storage_type": "HDD",
                "capacity_gib": 6000,
                "throughput_mbps_per_tib": 12,
            },
            {
                "mount_path": "/lake",
                "storage_type": "INTELLIGENT_TIERING",
                "throughput_mbps": 4000,
                "metadata": {"mode": "provisioned", "iops": 6000},
                "read_cache": {"mode": "provisioned", "capacity_gib": 4000},
            },
        ],
        "slurm.accounting": {
            "kind": "rds",
            "existing": {
                "endpoint": "db.example.internal",
                "secret_arn": ids.get("secret", SECRET),
            },
        },
        "budget": {"monthly_usd": 9_000_000, "alert_emails": ["a@example.com"]},
    }


def _make_tiers() -> Ids:
    made = client("secretsmanager").create_secret(Name="slurm", SecretString="x")
    return {"secret": made["ARN"]}


def _kubernetes(ids: Ids) -> dict[str, Any]:
    del ids
    return {
        "platform": "eks",
        "network.availability_zone_id": "use1-dfw2-az1",
        "compute": [
            {
                "name": "workers",
                "role": "compute",
                "instance_type": "p6e-gb200.36xlarge",
                "count": 18,
                "capacity": {"kind": "capacity-block", "id": BLOCK},
            }
        ],
    }


def _inference(ids: Ids) -> dict[str, Any]:
    del ids
    return {
        "platform": "hyperpod-eks",
        "network": _CONTROL_PLANE_NETWORK,
        "hyperpod": {"inference": {}},
        "compute": [
            {"name": "workers", "role": "compute", "instance_type": "p5.48xlarge", "count": 4}
        ],
    }


def _control_plane(ids: Ids) -> dict[str, Any]:
    image = f"{specs.ACCOUNT}.dkr.ecr.us-east-1.amazonaws.com/python@"
    return {
        "platform": "eks",
        "kubernetes": {
            "access": [
                {"principal_arn": f"arn:aws:iam::{specs.ACCOUNT}:role/pods", "policy": "view"},
                {"principal_arn": f"arn:aws:iam::{specs.ACCOUNT}:user/ada", "policy": "view"},
            ],
            "pod_identities": [
                {
                    "namespace": "training",
                    "service_account": "data-loader",
                    "role_arn": f"arn:aws:iam::{specs.ACCOUNT}:role/pods",
                }
            ],
            "capabilities": {
                "argocd": {
                    "repository": "https://git.example.com/clusters.git",
                    "path": "clusters/dev",
                    "identity_center_arn": ids.get("identity_center", IDENTITY_CENTER),
                }
            },
        },
        "observability.metrics": {"image": image + ids.get("digest", f"sha256:{'0' * 64}")},
        "network": _CONTROL_PLANE_NETWORK,
        "compute": [
            {"name": "system", "role": "system", "instance_type": "m5.xlarge", "count": 2},
            {"name": "workers", "role": "compute", "instance_type": "p5.48xlarge", "count": 2},
        ],
    }


def _make_control_plane() -> Ids:
    iam = client("iam")
    trust = {
        "Effect": "Allow",
        "Principal": {"Service": "pods.eks.amazonaws.com"},
        "Action": ["sts:AssumeRole", "sts:TagSession"],
    }
    iam.create_role(RoleName="pods", AssumeRolePolicyDocument=_policy(trust))
    iam.create_user(UserName="ada")
    client("ecr").create_repository(repositoryName="python")
    kind = "application/vnd.docker.distribution.manifest.v2+json"
    config = {"mediaType": "application/json", "size": 2, "digest": f"sha256:{'a' * 64}"}
    manifest = {"schemaVersion": 2, "mediaType": kind, "config": config, "layers": []}
    pushed = client("ecr").put_image(
        repositoryName="python", imageManifest=json.dumps(manifest), imageTag="3.12"
    )
    (instance,) = client("sso-admin").list_instances()["Instances"]
    return {
        "digest": pushed["image"]["imageId"]["imageDigest"],
        "identity_center": instance["InstanceArn"],
    }


def _reserved(ids: Ids) -> dict[str, Any]:
    return {
        "observability.prometheus": True,
        "observability.grafana": {},
        "platform": "parallelcluster",
        "parallelcluster": {"ssh_key_name": "team"},
        "storage.home": {
            "kind": "openzfs",
            "existing": {
                "dns_name": ids.get(
                    "home_name", "fs-0123456789abcdef1.fsx.us-east-1.amazonaws.com"
                ),
                "security_group_id": GROUP,
                "volume_id": ids.get("volume", "fsvol-0123456789abcdef0"),
            },
        },
        "compute.1.capacity": {"kind": "capacity-block", "id": BLOCK},
        "compute.2": {
            "name": "reserved",
            "role": "compute",
            "instance_type": "g5.48xlarge",
            "count": 1,
            "capacity": {"kind": "reservation", "id": RESERVATION},
        },
        "compute.3": {
            "name": "spot",
            "role": "compute",
            "instance_type": "p5en.48xlarge",
            "count": 1,
            "capacity": {"kind": "spot"},
        },
        "run": {"hours": 24},
    }


def _make_reserved() -> Ids:
    client("ec2").create_key_pair(KeyName="team", KeyType="ed25519")
    subnet = client("ec2").describe_subnets()["Subnets"][0]["SubnetId"]
    home = client("fsx").create_file_system(
        FileSystemType="OPENZFS",
        StorageCapacity=64,
        SubnetIds=[subnet],
        OpenZFSConfiguration={"DeploymentType": "SINGLE_AZ_1", "ThroughputCapacity": 64},
    )["FileSystem"]
    volume = home["OpenZFSConfiguration"]["RootVolumeId"]
    return {"home_name": home["DNSName"], "volume": volume}


def _managed(ids: Ids) -> dict[str, Any]:
    del ids
    return {
        "platform": "pcs",
        "image": {"image_id": "ami-0123456789abcdef0"},
        "network": _NETWORK,
        "compute": [
            {"name": "login", "role": "login", "instance_type": "m5.4xlarge", "count": 1},
            {"name": "workers", "role": "compute", "instance_type": "p5.48xlarge", "count": 2},
        ],
        "slurm": {"accounting": {"kind": "none"}},
    }


def _make_managed() -> Ids:
    client("pcs").create_cluster(
        clusterName="others",
        scheduler={"type": "SLURM", "version": "25.05"},
        size="SMALL",
        networking={"subnetIds": [SUBNETS[0]], "securityGroupIds": [GROUP]},
    )
    return {}


_FULL_ACCESS = {"Version": "2012-10-17", "Statement": [_EVERYTHING]}
_SUBNET = {"vpc_id": VPC, "security_group_ids": [GROUP]}
_TWO_SUBNETS = [
    {**_SUBNET, "id": SUBNETS[0], "cidr": "10.0.0.0/20", "zone_id": "use1-az6"},
    {**_SUBNET, "id": SUBNETS[1], "cidr": "10.0.16.0/20", "zone_id": "use1-az4"},
]
SITES: dict[str, Site] = {
    site.name: site
    for site in (
        Site(
            "built",
            _built,
            {
                "training_plans": [
                    {
                        "name": "run-1",
                        "instance_type": "p5.48xlarge",
                        "instance_count": 4,
                        "zone_id": "use1-az6",
                    }
                ],
                "organization": {
                    "tag_policy": {"tags": {"owner": {"tag_value": ["*"]}}},
                    "service_control_policies": [[_FULL_ACCESS], [_FULL_ACCESS]],
                    "resource_control_policies": [
                        {"Version": "2012-10-17", "Statement": [{**_EVERYTHING, "Principal": "*"}]}
                    ],
                    "members_read_policies": True,
                },
            },
            _make_built,
        ),
        Site(
            "existing",
            _existing,
            {"subnets": _TWO_SUBNETS},
            _make_existing,
            retire="/fsx",
        ),
        Site(
            "reserved",
            _reserved,
            {
                # The code of the workspace's quota is in no source.
                "quotas": {"aps/L-00000000": 1},
                "capacity_reservations": [
                    {
                        "id": BLOCK,
                        "kind": "capacity-block",
                        "instance_type": "p5.48xlarge",
                        "instance_count": 4,
                        "zone_id": "use1-az6",
                        "end": "+7d",
                    },
                    {
                        "id": RESERVATION,
                        "instance_type": "g5.48xlarge",
                        "instance_count": 1,
                        "zone_id": "use1-az6",
                    },
                ],
            },
            _make_reserved,
            unchecked=True,
        ),
        Site("control-plane", _control_plane, {"subnets": _TWO_SUBNETS}, _make_control_plane),
        Site("inference", _inference, {"subnets": _TWO_SUBNETS}),
        Site("managed", _managed, {"subnets": _TWO_SUBNETS}, _make_managed),
        Site("tiers", _tiers, {"subnets": _TWO_SUBNETS}, _make_tiers),
        Site(
            "kubernetes",
            _kubernetes,
            {
                "capacity_reservations": [
                    {
                        "id": BLOCK,
                        "kind": "capacity-block",
                        "instance_type": "p6e-gb200.36xlarge",
                        "instance_count": 18,
                        "zone_id": "use1-dfw2-az1",
                        "end": "+7d",
                        "ultra_server_type": "u-p6e-gb200x72",
                    }
                ]
            },
            unchecked=True,
        ),
    )
}
