"""Karpenter on plain EKS: its resources, permissions of its controller, and its removal.

One deployment with enforced IAM is used by all tests: its outputs are used for the manifests, and
an update and the deletion are tested last.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from clusterwright.catalog import load_catalog
from clusterwright.platforms.kubernetes.render import manifests
from clusterwright_localaws import local_aws
from stacks.eks.karpenter import WARNINGS
from tests.platforms.kubernetes import validator
from tests.platforms.kubernetes.conftest import Load, load  # noqa: F401
from tests.stacks.deployment import Account, bootstrapped, order
from tests.stacks.templates import only, properties
from tests.support.rich_specs import ACCOUNT, EKS, EKS_KARPENTER, changed
from tests.support.synthesis import Build

BLOCK = "cr-0a1b2c3d4e5f60718"

SPEC = changed(EKS_KARPENTER, protection="destroy")

EC2 = f"arn:aws:ec2:us-east-1:{ACCOUNT}"

OURS = {
    "aws:RequestTag/kubernetes.io/cluster/test": "owned",
    "aws:RequestTag/eks:eks-cluster-name": "test",
    "aws:RequestTag/karpenter.sh/nodepool": "workers",
}

MADE_BY_IT = {
    "aws:ResourceTag/kubernetes.io/cluster/test": "owned",
    "aws:ResourceTag/karpenter.sh/nodepool": "workers",
}


@pytest.fixture(scope="module")
def before() -> dict[str, Any]:
    """The account before the deployment."""
    return {}


@pytest.fixture(scope="module")
def deployed(build: Build, before: dict[str, Any]) -> Iterator[Account]:
    reservation = {
        "id": BLOCK,
        "kind": "capacity-block",
        "instance_type": "p5.48xlarge",
        "zone_id": "use1-az6",
        "instance_count": 2,
        "state": "active",
        "end": "+30d",
    }
    with local_aws(iam="enforced", capacity_reservations=[reservation]):
        account = bootstrapped()
        before.update(holdings(account))
        account.deploy(build(SPEC))
        yield account


def holdings(account: Account) -> dict[str, Any]:
    return {
        **account.holdings(),
        "queues": account.client("sqs").list_queues().get("QueueUrls", []),
        "rules": [r["Name"] for r in account.client("events").list_rules()["Rules"]],
        "profiles": [
            p["InstanceProfileName"]
            for p in account.client("iam").list_instance_profiles()["InstanceProfiles"]
        ],
    }


def outputs(account: Account) -> dict[str, str]:
    return account.outputs("test-karpenter") | account.outputs("test-cluster")


@pytest.fixture(scope="module")
def controller(deployed: Account) -> str:
    iam = deployed.client("iam")
    (arn,) = [
        role["Arn"]
        for role in iam.list_roles()["Roles"]
        if role["RoleName"].startswith("test-karpenter-ControllerRole")
    ]
    return str(arn)


def may(
    account: Account, role: str, action: str, arn: str, context: dict[str, str] | None = None
) -> bool:
    answer = account.client("iam").simulate_principal_policy(
        PolicySourceArn=role,
        ActionNames=[action],
        ResourceArns=[arn],
        ContextEntries=[
            {"ContextKeyName": key, "ContextKeyValues": [value], "ContextKeyType": "string"}
            for key, value in (context or {}).items()
        ],
    )
    return bool(answer["EvaluationResults"][0]["EvalDecision"] == "allowed")


def test_node_groups_have_only_static_nodes(build: Build) -> None:
    found = {
        one["Labels"]["clusterwright.dev/group"]: one["ScalingConfig"]
        for one in properties(build(SPEC), "AWS::EKS::Nodegroup")
    }
    assert found == {
        "system": {"MinSize": 2, "DesiredSize": 2, "MaxSize": 2},
        "workers": {"MinSize": 1, "DesiredSize": 1, "MaxSize": 1},
    }


def test_nothing_is_created_without_karpenter(build: Build) -> None:
    assembly = build(EKS)
    assert "test-karpenter" not in assembly.templates
    for kind in ("AWS::SQS::Queue", "AWS::Events::Rule", "AWS::IAM::InstanceProfile"):
        assert assembly.resources(kind) == {}


def test_queue_is_encrypted_and_accepts_only_the_rules_over_tls(build: Build) -> None:
    assembly = build(SPEC)
    queue = only(assembly, "AWS::SQS::Queue")
    assert queue["SqsManagedSseEnabled"] is True
    assert queue["QueueName"] == "test-karpenter"
    allowed, tls = only(assembly, "AWS::SQS::QueuePolicy")["PolicyDocument"]["Statement"]
    assert allowed["Principal"] == {"Service": "events.amazonaws.com"}
    assert allowed["Action"] == "sqs:SendMessage"
    assert len(allowed["Condition"]["ArnEquals"]["aws:SourceArn"]) == len(WARNINGS)
    assert (tls["Effect"], tls["Condition"]) == (
        "Deny",
        {"Bool": {"aws:SecureTransport": "false"}},
    )
    patterns = {
        (one["EventPattern"]["source"][0], one["EventPattern"]["detail-type"][0])
        for one in properties(assembly, "AWS::Events::Rule")
    }
    assert patterns == set(WARNINGS.values())


def test_nodes_join_with_a_separate_role(deployed: Account) -> None:
    eks, iam = deployed.client("eks"), deployed.client("iam")
    profile = iam.get_instance_profile(
        InstanceProfileName=outputs(deployed)["KarpenterInstanceProfile"]
    )["InstanceProfile"]
    (role,) = profile["Roles"]
    entry = eks.describe_access_entry(clusterName="test", principalArn=role["Arn"])["accessEntry"]
    assert entry["type"] == "EC2_LINUX"
    groups = eks.list_nodegroups(clusterName="test")["nodegroups"]
    for name in groups:
        group = eks.describe_nodegroup(clusterName="test", nodegroupName=name)["nodegroup"]
        assert group["nodeRole"] != role["Arn"]


def test_controller_is_identified_by_its_service_account(deployed: Account) -> None:
    (found,) = deployed.client("eks").list_pod_identity_associations(
        clusterName="test", namespace="kube-system", serviceAccount="karpenter"
    )["associations"]
    assert found["associationArn"]


def test_interruption_notice_is_read_from_the_queue(deployed: Account) -> None:
    deployed.client("events").put_events(
        Entries=[
            {
                "Source": "aws.ec2",
                "DetailType": "EC2 Spot Instance Interruption Warning",
                "Detail": json.dumps({"instance-id": "i-0a1b2c3d4e5f60718"}),
            }
        ]
    )
    sqs = deployed.client("sqs")
    url = sqs.get_queue_url(QueueName="test-karpenter")["QueueUrl"]
    (message,) = sqs.receive_message(QueueUrl=url)["Messages"]
    assert json.loads(message["Body"])["detail"]["instance-id"] == "i-0a1b2c3d4e5f60718"
    sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])


def test_outputs_are_sufficient_for_manifests(deployed: Account, load: Load) -> None:  # noqa: F811
    cluster = load(SPEC)
    found = manifests(cluster, load_catalog(), "autoscaling", outputs(deployed))
    assert [e for each in found for e in validator.errors(each, "1.35")] == []
    classes = {m["metadata"]["name"]: m["spec"] for m in found if m["kind"] == "EC2NodeClass"}
    (subnet,) = classes["workers"]["subnetSelectorTerms"]
    ec2 = deployed.client("ec2")
    zones = ec2.describe_subnets(SubnetIds=[subnet["id"]])["Subnets"]
    assert [one["AvailabilityZoneId"] for one in zones] == ["use1-az6"]
    ids = [one["id"] for one in classes["workers"]["securityGroupSelectorTerms"]]
    assert ec2.describe_security_groups(GroupIds=ids)["SecurityGroups"]
    (placement,) = ec2.describe_placement_groups()["PlacementGroups"]
    assert classes["workers"]["placementGroupSelector"] == {"name": placement["GroupName"]}
    assert "placementGroupSelector" not in classes["block"]
    assert classes["block"]["capacityReservationSelectorTerms"] == [{"id": BLOCK}]


@pytest.mark.parametrize(
    ("action", "arn", "context", "allowed"),
    [
        ("ec2:RunInstances", f"{EC2}:instance/*", OURS, True),
        ("ec2:RunInstances", f"{EC2}:instance/*", {}, False),
        ("ec2:CreateFleet", f"{EC2}:fleet/*", {**OURS, next(iter(OURS)): "shared"}, False),
        ("ec2:CreateLaunchTemplate", f"{EC2}:launch-template/*", OURS, True),
        ("ec2:RunInstances", f"{EC2}:launch-template/lt-0a1b", MADE_BY_IT, True),
        ("ec2:RunInstances", f"{EC2}:launch-template/lt-0a1b", {}, False),
        ("ec2:RunInstances", "arn:aws:ec2:us-east-1::image/ami-0a1b", {}, True),
        ("ec2:RunInstances", f"{EC2}:subnet/subnet-0f0f0f0f", {}, False),
        ("ec2:RunInstances", f"{EC2}:security-group/sg-0f0f0f0f", {}, False),
        ("ec2:RunInstances", f"{EC2}:capacity-reservation/{BLOCK}", {}, True),
        ("ec2:RunInstances", f"{EC2}:capacity-reservation/cr-0f0f0f0f", {}, False),
        ("ec2:TerminateInstances", f"{EC2}:instance/i-0a1b", MADE_BY_IT, True),
        # A node of a managed node group has the cluster's tag, and not that of a pool.
        (
            "ec2:TerminateInstances",
            f"{EC2}:instance/i-0a1b",
            {"aws:ResourceTag/kubernetes.io/cluster/test": "owned"},
            False,
        ),
        (
            "ec2:TerminateInstances",
            f"{EC2}:instance/i-0a1b",
            {
                "aws:ResourceTag/kubernetes.io/cluster/other": "owned",
                "aws:ResourceTag/karpenter.sh/nodepool": "workers",
            },
            False,
        ),
        ("ec2:DescribeInstances", "*", {"aws:RequestedRegion": "us-east-1"}, True),
        ("ec2:DescribeInstances", "*", {"aws:RequestedRegion": "us-west-2"}, False),
        (
            "ssm:GetParameter",
            "arn:aws:ssm:us-east-1::parameter/aws/service/eks/optimized-ami/1.35/x",
            {},
            True,
        ),
        ("ssm:GetParameter", f"arn:aws:ssm:us-east-1:{ACCOUNT}:parameter/secret", {}, False),
        ("eks:DescribeCluster", f"arn:aws:eks:us-east-1:{ACCOUNT}:cluster/other", {}, False),
        ("sqs:ReceiveMessage", f"arn:aws:sqs:us-east-1:{ACCOUNT}:test-karpenter", {}, True),
        ("sqs:SendMessage", f"arn:aws:sqs:us-east-1:{ACCOUNT}:test-karpenter", {}, False),
        ("iam:CreateInstanceProfile", "*", OURS, False),
        ("iam:PassRole", f"arn:aws:iam::{ACCOUNT}:role/admin", {}, False),
    ],
)
def test_controller_permissions_are_limited_to_its_resources(
    action: str,
    arn: str,
    context: dict[str, str],
    allowed: bool,
    deployed: Account,
    controller: str,
) -> None:
    assert may(deployed, controller, action, arn, context) is allowed


def test_controller_can_pass_only_the_node_role_to_ec2(deployed: Account, controller: str) -> None:
    profile = outputs(deployed)["KarpenterInstanceProfile"]
    iam = deployed.client("iam")
    found = iam.get_instance_profile(InstanceProfileName=profile)["InstanceProfile"]
    (node,) = [role["Arn"] for role in found["Roles"]]
    to_ec2 = {"iam:PassedToService": "ec2.amazonaws.com"}
    assert may(deployed, controller, "iam:PassRole", node, to_ec2)
    to_lambda = {"iam:PassedToService": "lambda.amazonaws.com"}
    assert not may(deployed, controller, "iam:PassRole", node, to_lambda)
    assert not may(deployed, controller, "iam:PassRole", controller, to_ec2)


def test_controller_uses_the_key_only_through_ec2(deployed: Account, controller: str) -> None:
    key = outputs(deployed)["KarpenterKeyArn"]
    through = {"kms:ViaService": "ec2.us-east-1.amazonaws.com"}
    assert may(deployed, controller, "kms:GenerateDataKeyWithoutPlaintext", key, through)
    assert not may(deployed, controller, "kms:Decrypt", key)


def test_larger_pool_changes_only_the_recorded_spec(deployed: Account, build: Build) -> None:
    ec2 = deployed.client("ec2")

    def ids() -> set[str]:
        found = ec2.describe_instances(
            Filters=[{"Name": "instance-state-name", "Values": ["running"]}]
        )["Reservations"]
        return {one["InstanceId"] for each in found for one in each["Instances"]}

    nodes = ids()
    statuses = deployed.deploy(build(changed(SPEC, compute__1__max_count=5)))
    assert statuses["test-karpenter"] == "unchanged"
    assert ids() == nodes


def test_removed_setting_deletes_all_resources(
    deployed: Account, build: Build, before: dict[str, Any]
) -> None:
    assembly = build(changed(SPEC, compute__1__max_count=5))
    for name in reversed(order(assembly)):
        deployed.delete(name)
    assert holdings(deployed) == before
