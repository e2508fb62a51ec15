"""Rules about permissions: if one fails, a local AWS with enforced IAM refuses the deployment."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError

from clusterwright.cli.main import main
from clusterwright_localaws import local_aws
from packages.localaws.tests.iam.conftest import ACCOUNT, ADMIN, OTHER, allow, deny, document, role
from packages.localaws.tests.iam.stacks import create
from tests.support import specs

pytestmark = pytest.mark.usefixtures("world")
EXECUTION = f"cdk-hnb659fds-cfn-exec-role-{ACCOUNT}-us-east-1"
TRUSTS = {"Service": "cloudformation.amazonaws.com"}


@pytest.fixture
def world() -> Iterator[None]:
    with local_aws(iam="enforced", account=ACCOUNT):
        yield


def check(
    rule: str,
    changes: dict[str, Any],
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> list[str]:
    """The messages of a rule's findings."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", ACCOUNT)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "local")
    path = specs.write(folder / "spec.yaml", specs.changed({"account": ACCOUNT, **changes}))
    main(["check", str(path), "--only", rule, "--format", "json"])
    answer = json.loads(capsys.readouterr().out)
    assert answer["unknown"] == []
    return [finding["message"] for finding in answer["findings"]]


def test_cw_i011_too_narrow_role_creates_no_log_group(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    narrow = (allow("*"), deny("logs:CreateLogGroup"))
    arn = role(EXECUTION, *narrow, trusts=TRUSTS)
    (message,) = check("CW-I011", {}, tmp_path, capsys, monkeypatch)
    assert message == f"{EXECUTION} is not allowed logs:CreateLogGroup: a policy denies it"
    group = {"Type": "AWS::Logs::LogGroup", "Properties": {"LogGroupName": "/a"}}
    status, (reason,) = create(ADMIN, {"Resources": {"Group": group}}, RoleARN=arn)
    assert status == "ROLLBACK_COMPLETE"
    assert "not authorized to perform: logs:CreateLogGroup" in reason
    ADMIN("iam").put_role_policy(
        RoleName=EXECUTION, PolicyName="own", PolicyDocument=document(allow("*"))
    )
    assert check("CW-I011", {}, tmp_path, capsys, monkeypatch) == []
    ADMIN("cloudformation").delete_stack(StackName="s")
    assert create(ADMIN, {"Resources": {"Group": group}}, RoleARN=arn)[0] == "CREATE_COMPLETE"


def test_cw_i012_too_narrow_boundary_denies_network_access(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    iam = ADMIN("iam")
    arn = iam.create_policy(
        PolicyName="narrow", PolicyDocument=document(allow(["s3:*", "kms:*", "logs:*"]))
    )["Policy"]["Arn"]
    changes = {"identity.permissions_boundary_arn": arn}
    (message,) = check("CW-I012", changes, tmp_path, capsys, monkeypatch)
    assert "a node is not allowed cloudwatch:PutMetricData" in message
    assert "the permissions boundary does not allow it" in message
    nodes = role(
        "nodes", allow("*"), trusts={"Service": "sagemaker.amazonaws.com"}, PermissionsBoundary=arn
    )
    with pytest.raises(ClientError, match="ec2:"):
        _create_cluster(nodes)
    iam.create_policy_version(
        PolicyArn=arn, PolicyDocument=document(allow("*")), SetAsDefault=True
    )
    assert check("CW-I012", changes, tmp_path, capsys, monkeypatch) == []
    _create_cluster(nodes)


def test_cw_e011_policy_with_a_condition_denies_the_deployment(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = deny("logs:CreateLogGroup")
    elsewhere["Condition"] = {"StringNotEquals": {"aws:RequestedRegion": "eu-west-1"}}
    policy = json.loads(document(allow("*"), elsewhere))
    organization = {"service_control_policies": [[policy]], "members_read_policies": True}
    with local_aws(iam="enforced", account=ACCOUNT, organization=organization):
        arn = role(EXECUTION, allow("*"), trusts=TRUSTS)
        (message,) = check("CW-E011", {}, tmp_path, capsys, monkeypatch)
        assert message == (
            "the service control policy service control policy 1.1 (p-00010001) denies "
            "CloudFormation's role logs:CreateLogGroup"
        )
        group = {"Type": "AWS::Logs::LogGroup", "Properties": {"LogGroupName": "/a"}}
        status, (reason,) = create(ADMIN, {"Resources": {"Group": group}}, RoleARN=arn)
        assert status == "ROLLBACK_COMPLETE"
        assert "service control policy" in reason


def test_cw_n032_role_for_own_subnets_cannot_use_shared_ones(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = {
        "id": "subnet-0a1b2c3d4e5f60001",
        "vpc_id": "vpc-0a1b2c3d4e5f60001",
        "cidr": "10.0.0.0/20",
        "zone_id": "use1-az6",
        "owner_account": OTHER,
        "security_group_ids": ["sg-0a1b2c3d4e5f60001"],
    }
    names = (shared["vpc_id"], shared["id"], "sg-0a1b2c3d4e5f60001")
    with local_aws(iam="enforced", account=ACCOUNT, subnets=[shared]):
        existing = {
            "vpc_id": names[0],
            "subnet_ids": [names[1]],
            "security_group_ids": [names[2]],
        }
        for owner, found in ((None, 1), (OTHER, 0)):
            network = {
                "availability_zone_id": "use1-az6",
                "existing": {**existing, **({"owner_account": owner} if owner else {})},
            }
            messages = check("CW-N032", {"network": network}, tmp_path, capsys, monkeypatch)
            assert len(messages) == found
            allowed = [
                allow(["s3:*", "kms:*", "logs:*", "ec2:Describe*", "cloudwatch:*"]),
                allow("ec2:*", f"arn:aws:ec2:us-east-1:{ACCOUNT}:*/*"),
                allow("ec2:*", "arn:aws:ec2:us-east-1:*:instance/*"),
                allow("ec2:*", f"arn:aws:ec2:us-east-1:{owner or ACCOUNT}:subnet/{names[1]}"),
            ]
            nodes = role(f"nodes-{found}", *allowed, trusts={"Service": "sagemaker.amazonaws.com"})
            if found:
                with pytest.raises(ClientError, match="ec2:CreateNetworkInterface"):
                    _create_cluster(nodes, names)
            else:
                _create_cluster(nodes, names)


def _create_cluster(role_arn: str, network: tuple[str, str, str] | None = None) -> None:
    ec2, s3 = ADMIN("ec2"), ADMIN("s3")
    if network is None:
        vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
        made = ec2.create_subnet(VpcId=vpc, CidrBlock="10.0.0.0/20", AvailabilityZoneId="use1-az6")
        group = ec2.create_security_group(GroupName="g", Description="d", VpcId=vpc)["GroupId"]
        network = (vpc, made["Subnet"]["SubnetId"], group)
    _, subnet, group = network
    s3.create_bucket(Bucket="sagemaker-scripts")
    s3.put_object(Bucket="sagemaker-scripts", Key="v1/on_create.sh", Body=b"x")
    scripts = {"SourceS3Uri": "s3://sagemaker-scripts/v1", "OnCreate": "on_create.sh"}
    workers = {
        "InstanceGroupName": "workers",
        "InstanceType": "ml.m5.xlarge",
        "InstanceCount": 1,
        "ExecutionRole": role_arn,
        "LifeCycleConfig": scripts,
    }
    ADMIN("sagemaker").create_cluster(
        ClusterName="c",
        InstanceGroups=[workers],
        VpcConfig={"SecurityGroupIds": [group], "Subnets": [subnet]},
    )
