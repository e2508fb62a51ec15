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


def test_eks_workshop_1928_block_public_access_is_found(tmp_path: Path) -> None:
    """The account blocks the internet gateway; instances reach no package and no service."""
    nat = {"network.egress": "nat"}
    with account():
        ec2 = client("ec2")
        ec2.modify_vpc_block_public_access_options(InternetGatewayBlockMode="block-bidirectional")
        found = checked(tmp_path, nat, "--only", "CW-N031").one("CW-N031")
        assert found["message"] == (
            "VPC Block Public Access of the account is block-bidirectional, which also stops "
            "connections through NAT gateways: nodes with egress: nat reach no AWS service"
        )
        # NAT gateways work in the mode of the report, and no node has a public address.
        ec2.modify_vpc_block_public_access_options(InternetGatewayBlockMode="block-ingress")
        assert checked(tmp_path, nat, "--only", "CW-N031").status("CW-N031") == "pass"


def test_eksctl_8446_tags_in_metadata_of_the_account_are_found(tmp_path: Path) -> None:
    """The account shows tags in instance metadata, where a key with a slash is not valid."""
    tagged = {**ON_EC2, "tags": {"kubernetes.io/cluster/train": "owned"}}
    with account():
        client("ec2").modify_instance_metadata_defaults(InstanceMetadataTags="enabled")
        found = checked(tmp_path, tagged, "--only", "CW-I024").one("CW-I024")
        assert found["message"].endswith("the key 'kubernetes.io/cluster/train' is not valid")
        # Launch templates of EKS do not take the account's default.
        on_eks = {**ON_EKS, "tags": tagged["tags"]}
        assert checked(tmp_path, on_eks, "--only", "CW-I024").findings == []


SHARED = {
    "id": "subnet-0a1b2c3d4e5f60001",
    "vpc_id": "vpc-0a1b2c3d4e5f60001",
    "cidr": "10.0.0.0/20",
    "zone_id": "use1-az6",
    "owner_account": "222233334444",
    "security_group_ids": ["sg-0a1b2c3d4e5f60001"],
    "closed": True,
}


def in_shared_subnet(**more: Any) -> dict[str, Any]:
    existing = {
        "vpc_id": SHARED["vpc_id"],
        "subnet_ids": [SHARED["id"]],
        "security_group_ids": SHARED["security_group_ids"],
        **more,
    }
    return {"network": {"availability_zone_id": "use1-az6", "existing": existing}}


def test_terraform_iam_227_subnet_of_another_account_is_found(tmp_path: Path) -> None:
    """Policies name subnets of the own account; shared ones are in the ARN of their owner."""
    with account(subnets=[SHARED]):
        found = checked(tmp_path, in_shared_subnet(), "--only", "CW-N032").one("CW-N032")
        assert found["message"].startswith(f"222233334444 shares {SHARED['id']}, but the roles")
        named = in_shared_subnet(owner_account="222233334444")
        assert checked(tmp_path, named, "--only", "CW-N032").status("CW-N032") == "pass"
        on_ec2 = checked(tmp_path, {**in_shared_subnet(), **ON_EC2}, "--only", "CW-N032")
        assert "ParallelCluster's head node may launch" in on_ec2.one("CW-N032")["message"]


def test_ecs_exec_checker_29_endpoints_of_another_account_are_unknown(tmp_path: Path) -> None:
    """EC2 shows the endpoints of a shared VPC to its owner only: their absence proves nothing."""
    with account(subnets=[SHARED]):
        found = checked(tmp_path, in_shared_subnet(), "--only", "CW-N022")
        assert (found.status("CW-N022"), found.exit_code) == ("unknown", 2)
        (entry,) = found.answer["unknown"]
        assert "EC2 shows its endpoints to 222233334444 only" in entry["message"]


def test_karpenter_5185_denial_of_a_control_policy_is_found(tmp_path: Path) -> None:
    """A service control policy denies launches without a tag, or of an instance type."""
    without_tag = {
        "Effect": "Deny",
        "Action": "ec2:RunInstances",
        "Resource": "arn:aws:ec2:*:*:instance/*",
        "Condition": {"Null": {"aws:RequestTag/CostCentre": "true"}},
    }
    allow = {"Effect": "Allow", "Action": "*", "Resource": "*"}
    policy = json.loads(document(allow, without_tag))
    organization = {"service_control_policies": [[policy]], "members_read_policies": True}
    with account(organization=organization):
        found = checked(tmp_path, ON_EC2, "--only", "CW-E011").messages("CW-E011")
        assert found[0] == (
            "the service control policy service control policy 1.1 (p-00010001) denies the roles "
            "that launch m5.4xlarge ec2:RunInstances"
        )
        tagged = {**ON_EC2, "tags": {"CostCentre": "42"}}
        assert checked(tmp_path, tagged, "--only", "CW-E011").findings == []
    with account(organization={**organization, "members_read_policies": False}):
        found_none = checked(tmp_path, ON_EC2, "--only", "CW-E011")
        assert found_none.status("CW-E011") == "unknown"
        assert {one["iam_action"] for one in found_none.answer["unknown"]} == {
            "organizations:ListPoliciesForTarget"
        }


def test_kirocrew_10229_key_of_sessions_is_found(tmp_path: Path) -> None:
    """The account encrypts sessions with a key that the nodes may not use: nobody logs in."""
    with account():
        assert checked(tmp_path, {}, "--only", "CW-I025").status("CW-I025") == "pass"
        kms, ssm = client("kms"), client("ssm")
        root = {"AWS": f"arn:aws:iam::{ACCOUNT}:root"}
        by_iam = {"Effect": "Allow", "Principal": root, "Action": "kms:*", "Resource": "*"}
        key = kms.create_key(Policy=document(by_iam))["KeyMetadata"]["Arn"]
        content = {
            "schemaVersion": "1.0",
            "sessionType": "Standard_Stream",
            "inputs": {
                "kmsKeyId": key,
                "cloudWatchLogGroupName": "/sessions",
                "cloudWatchEncryptionEnabled": True,
            },
        }
        ssm.create_document(
            Name="SSM-SessionManagerRunShell",
            DocumentType="Session",
            DocumentFormat="JSON",
            Content=json.dumps(content),
        )
        found = checked(tmp_path, {}, "--only", "CW-I025").messages("CW-I025")
        assert [one.partition(", ")[0] for one in found] == [
            f"the account's preferences for Session Manager encrypt sessions with {key}",
            "the account's preferences for Session Manager log sessions to the log group "
            "/sessions",
        ]
        with_key = {"identity.kms_key_arn": key}
        assert len(checked(tmp_path, with_key, "--only", "CW-I025").findings) == 1


LINKED: dict[str, Any] = {
    "storage.lustre": [
        {
            **specs.LUSTRE,
            "repositories": [
                {
                    "s3": "s3://acme-runs/run",
                    "path": "/run",
                    "import": ["NEW"],
                    "export": ["NEW"],
                }
            ],
        }
    ]
}


def test_clamscan_612_notification_of_the_bucket_is_found(tmp_path: Path) -> None:
    """A bucket sends the same events to another receiver already, and S3 refuses a second."""
    with account():
        s3 = client("s3")
        s3.create_bucket(Bucket="acme-runs")
        assert checked(tmp_path, LINKED, "--only", "CW-S035").status("CW-S035") == "pass"
        client("sqs").create_queue(QueueName="scan")
        queue = f"arn:aws:sqs:{REGION}:{ACCOUNT}:scan"
        configuration = {"QueueArn": queue, "Events": ["s3:ObjectCreated:*"], "Id": "scan"}
        s3.put_bucket_notification_configuration(
            Bucket="acme-runs",
            NotificationConfiguration={"QueueConfigurations": [configuration]},
        )
        found = checked(tmp_path, LINKED, "--only", "CW-S035").one("CW-S035")
        assert found["message"].startswith("the notification scan of acme-runs covers")


def test_parallelcluster_901_requester_pays_bucket_is_found(tmp_path: Path) -> None:
    """Without the consent to pay, S3 denies what other accounts ask of such a bucket."""
    for pays, severity in ((True, "warning"), (False, None)):
        corpus = {"name": "acme-runs", "account": "999988887777", "requester_pays": pays}
        with account(buckets=[corpus]):
            result = checked(tmp_path, LINKED, "--only", "CW-S042")
            if severity is None:
                assert result.status("CW-S042") == "pass"
                continue
            found = result.one("CW-S042")
            assert found["severity"] == severity
            assert found["message"].startswith("acme-runs is a Requester Pays bucket")


def test_metaflow_8_lifecycle_of_the_bucket_is_found(tmp_path: Path) -> None:
    """A rule of the bucket deletes the objects of a run that still needs them."""
    with account():
        s3 = client("s3")
        s3.create_bucket(Bucket="acme-runs")
        assert checked(tmp_path, LINKED, "--only", "CW-S036").status("CW-S036") == "pass"
        rule = {
            "ID": "ttl",
            "Status": "Enabled",
            "Filter": {"Prefix": ""},
            "Expiration": {"Days": 14},
        }
        s3.put_bucket_lifecycle_configuration(
            Bucket="acme-runs", LifecycleConfiguration={"Rules": [rule]}
        )
        month = {**LINKED, "run": {"hours": 720}}
        found = checked(tmp_path, month, "--only", "CW-S036").one("CW-S036")
        assert found["severity"] == "error"
        assert "14 days after their creation, before the run ends" in found["message"]
        day = {**LINKED, "run": {"hours": 24}}
        assert checked(tmp_path, day, "--only", "CW-S036").one("CW-S036")["severity"] == "warning"
