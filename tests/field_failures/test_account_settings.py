"""Failures caused by what an account or a network has set once, and no spec names."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.field_failures.parts import ACCOUNT, REGION, House, account, check, checked, client
from tests.support import specs

ON_EC2: dict[str, Any] = {"platform": "parallelcluster"}
ON_EKS: dict[str, Any] = {
    "platform": "eks",
    "compute": [
        {"name": "workers", "role": "compute", "instance_type": "p5.48xlarge", "count": 4}
    ],
}
NOBODY = {"Effect": "Deny", "Principal": "*", "Action": "*", "Resource": "*"}


def document(*statements: dict[str, Any]) -> str:
    return json.dumps({"Version": "2012-10-17", "Statement": list(statements)})


def test_eda_slurm_cluster_23_missing_role_for_spot_is_found(tmp_path: Path) -> None:
    """The first Spot instance of an account needs a role that its launcher may not create."""
    spot = {**ON_EC2, "compute.1.capacity": {"kind": "spot"}}
    with account():
        found = checked(tmp_path, spot, "--only", "CW-I013").messages("CW-I013")
        assert found == [
            "AWSServiceRoleForEC2Spot, for spot instances, does not exist, and what launches the "
            "instances is not allowed to create it"
        ]
        client("iam").create_role(
            RoleName="AWSServiceRoleForEC2Spot",
            Path="/aws-service-role/spot.amazonaws.com/",
            AssumeRolePolicyDocument=document(
                {
                    "Effect": "Allow",
                    "Principal": {"Service": "spot.amazonaws.com"},
                    "Action": "sts:AssumeRole",
                }
            ),
        )
        assert checked(tmp_path, spot, "--only", "CW-I013").status("CW-I013") == "pass"


def test_parallelcluster_3667_own_key_for_volumes_is_found(tmp_path: Path) -> None:
    """The account's key encrypts the volumes of nodes, whose launcher has no permission for it."""
    with account():
        assert checked(tmp_path, ON_EC2, "--only", "CW-I022").status("CW-I022") == "pass"
        kms = client("kms")
        root = {"AWS": f"arn:aws:iam::{ACCOUNT}:root"}
        by_iam = {"Effect": "Allow", "Principal": root, "Action": "kms:*", "Resource": "*"}
        key = kms.create_key(Policy=document(by_iam))["KeyMetadata"]["Arn"]
        client("ec2").modify_ebs_default_kms_key_id(KmsKeyId=key)
        found = checked(tmp_path, ON_EC2, "--only", "CW-I022").one("CW-I022")
        assert found["message"].startswith(
            f"the account encrypts volumes with {key}, whose policy does not allow the roles that "
            "launch nodes kms:CreateGrant, "
        )
        through_ec2 = {
            "kms:CallerAccount": ACCOUNT,
            "kms:ViaService": f"ec2.{REGION}.amazonaws.com",
        }
        everyone = {
            **by_iam,
            "Principal": {"AWS": "*"},
            "Condition": {"StringEquals": through_ec2},
        }
        kms.put_key_policy(KeyId=key, PolicyName="default", Policy=document(by_iam, everyone))
        assert checked(tmp_path, ON_EC2, "--only", "CW-I022").findings == []
        kms.disable_key(KeyId=key)
        found = checked(tmp_path, ON_EC2, "--only", "CW-I022").one("CW-I022")
        assert found["message"] == f"the account encrypts volumes with {key}, which is Disabled"


def test_vpc_module_1197_endpoint_that_allows_nothing_is_found(tmp_path: Path) -> None:
    """A policy with conditions for a Deny and no Allow denies every call."""
    with account():
        house = House()
        outside = {**NOBODY, "Condition": {"StringNotEquals": {"aws:SourceVpc": house.vpc}}}
        endpoint = house.ec2.create_vpc_endpoint(
            VpcId=house.vpc,
            VpcEndpointType="Interface",
            ServiceName=f"com.amazonaws.{REGION}.ecr.api",
            SubnetIds=[house.subnet],
            PrivateDnsEnabled=True,
            PolicyDocument=document(outside),
        )["VpcEndpoint"]["VpcEndpointId"]
        control_plane = [
            house.add_subnet(house.vpc, cidr, zone)
            for cidr, zone in (("10.0.128.0/28", "use1-az6"), ("10.0.129.0/28", "use1-az4"))
        ]
        changes = house.spec(**ON_EKS)
        changes["network"]["existing"]["control_plane_subnet_ids"] = control_plane
        path = specs.write(tmp_path / "spec.yaml", specs.changed(changes))
        assert check(path, "--only", "CW-N030").messages("CW-N030") == [
            f"the policy of {endpoint}, the endpoint for ecr.api, allows nodes no "
            "ecr:GetAuthorizationToken"
        ]
        allowing = {"Effect": "Allow", "Principal": "*", "Action": "*", "Resource": "*"}
        house.ec2.modify_vpc_endpoint(
            VpcEndpointId=endpoint, PolicyDocument=document(allowing, outside)
        )
        assert check(path, "--only", "CW-N030").findings == []
