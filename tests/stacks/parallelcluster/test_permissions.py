"""Permissions of ParallelCluster's nodes and provider."""

from __future__ import annotations

from typing import Any

from tests.stacks.templates import only, properties, text_of
from tests.support.rich_specs import PARALLELCLUSTER
from tests.support.synthesis import Assembly, Build

CUSTOM = "Custom::PclusterCluster"


def configuration(assembly: Assembly) -> Any:
    return only(assembly, CUSTOM)["ClusterConfiguration"]


def test_policies_have_the_path_that_the_provider_can_attach(build: Build) -> None:
    policies = properties(build(PARALLELCLUSTER), "AWS::IAM::ManagedPolicy")
    assert len(policies) == 2
    assert {policy["Path"] for policy in policies} == {"/parallelcluster/clusterwright/"}
    roles = properties(build(PARALLELCLUSTER), "AWS::IAM::Role")
    assert all("ec2.amazonaws.com" not in text_of(r["AssumeRolePolicyDocument"]) for r in roles)


def test_every_node_type_has_the_groups_and_permissions(build: Build) -> None:
    found = configuration(build(PARALLELCLUSTER))
    kinds = [
        found["HeadNode"],
        *found["LoginNodes"]["Pools"],
        *found["Scheduling"]["SlurmQueues"],
    ]
    head, *others = [kind["Networking"]["SecurityGroups"] for kind in kinds]
    assert all(groups == others[0] for groups in others)
    # Only the head node opens the accounting database.
    assert head[:-1] == others[0]
    assert "Controller" in text_of(head[-1])
    assert all("AdditionalSecurityGroups" not in kind["Networking"] for kind in kinds)
    own = [kind["Iam"]["AdditionalIamPolicies"][-1]["Policy"] for kind in kinds]
    assert all(each["Ref"].startswith("NodePolicy") for each in own)
    assert found["Iam"]["PermissionsBoundary"].endswith("parallelcluster-boundary")


def test_nodes_can_signal_wait_conditions(build: Build) -> None:
    (policy,) = [
        endpoint["PolicyDocument"]["Statement"]
        for endpoint in properties(build(PARALLELCLUSTER), "AWS::EC2::VPCEndpoint")
        if endpoint["ServiceName"].endswith(".s3")
    ]
    (found,) = [one for one in policy if one.get("Sid") == "WaitConditions"]
    assert found["Action"] == "s3:PutObject"
    assert found["Resource"] == "arn:aws:s3:::cloudformation-waitcondition-us-east-1/*"
    assert "Condition" not in found, "CloudFormation signs them"
