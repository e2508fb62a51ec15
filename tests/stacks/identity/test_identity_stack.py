"""Least privilege: named resources, and for every wildcard a reason."""

from __future__ import annotations

import re
from typing import Any

from tests.stacks.conftest import Build
from tests.stacks.specs import ACCOUNT, FULL, MINIMAL, changed
from tests.stacks.templates import listed, only, properties, statements, text_of
from tests.support.synthesis import Assembly

# Actions that take no resource (Service Authorization Reference), all read-only or narrowed by a
# condition; nothing else may stand beside Resource "*".
WITHOUT_RESOURCE = {
    "cloudwatch:PutMetricData",
    "ec2:DescribeDhcpOptions",
    "ec2:DescribeNetworkInterfaces",
    "ec2:DescribeSecurityGroups",
    "ec2:DescribeSubnets",
    "ec2:DescribeVpcs",
    "ecr:GetAuthorizationToken",
    "fsx:DescribeFileSystems",
    "ssmmessages:CreateControlChannel",
    "ssmmessages:CreateDataChannel",
    "ssmmessages:OpenControlChannel",
    "ssmmessages:OpenDataChannel",
}


def node_statements(assembly: Assembly) -> list[dict[str, Any]]:
    return [
        s for where, s in statements(assembly) if re.search(r"ExecutionRole|NodeRights", where)
    ]


def test_only_actions_without_a_resource_have_the_resource_star(build: Build) -> None:
    for statement in node_statements(build(FULL)):
        if statement["Resource"] == "*":
            assert set(listed(statement["Action"])) <= WITHOUT_RESOURCE


def test_no_action_of_the_nodes_is_a_wildcard(build: Build) -> None:
    for statement in node_statements(build(FULL)):
        assert not [a for a in listed(statement["Action"]) if "*" in a]
        assert statement["Effect"] == "Allow"


def test_metrics_are_narrowed_by_their_namespace(build: Build) -> None:
    (metrics,) = [
        s for s in node_statements(build(FULL)) if s["Action"] == "cloudwatch:PutMetricData"
    ]
    assert metrics["Condition"] == {
        "StringEquals": {"cloudwatch:namespace": "/aws/sagemaker/Clusters"}
    }


def test_logs_are_those_of_this_cluster(build: Build) -> None:
    (logs,) = [s for s in node_statements(build(FULL)) if "logs:PutLogEvents" in s["Action"]]
    assert logs["Resource"] == (
        f"arn:aws:logs:us-east-1:{ACCOUNT}:log-group:/aws/sagemaker/Clusters/test/*"
    )


def test_permissions_depend_on_what_the_spec_uses(build: Build) -> None:
    actions = {a for s in node_statements(build(MINIMAL)) for a in listed(s["Action"])}
    assert not [a for a in actions if a.split(":")[0] in ("ecr", "fsx", "secretsmanager", "aps")]
    without = changed(MINIMAL, identity={"session_manager": False})
    actions = {a for s in node_statements(build(without)) for a in listed(s["Action"])}
    assert not [a for a in actions if a.startswith("ssm")]


def test_nodes_read_mounted_buckets_and_delete_in_none(build: Build) -> None:
    written, read = set(), set()
    for statement in node_statements(build(FULL)):
        actions = listed(statement["Action"])
        resources = set(map(str, listed(statement["Resource"])))
        assert "s3:DeleteObject" not in actions
        if "s3:PutObject" in actions:
            written |= resources
        if "s3:GetObject" in actions:
            read |= resources
    assert written == {"arn:aws:s3:::test-results/*"}
    assert "arn:aws:s3:::test-datasets/*" in read
    assert any(r.startswith("arn:aws:s3:::sagemaker-test-") for r in read)


def test_directory_buckets_are_opened_by_sessions(build: Build) -> None:
    (express,) = [s for s in node_statements(build(FULL)) if "s3express" in text_of(s["Action"])]
    assert express["Action"] == "s3express:CreateSession"
    assert express["Resource"] == (
        f"arn:aws:s3express:us-east-1:{ACCOUNT}:bucket/test-shuffle--use1-az6--x-s3"
    )


def test_grants_on_the_key_are_for_aws_services_only(build: Build) -> None:
    (grants,) = [s for s in node_statements(build(FULL)) if s["Action"] == "kms:CreateGrant"]
    assert grants["Condition"] == {"Bool": {"kms:GrantIsForAWSResource": "true"}}


def test_interfaces_are_made_only_in_the_clusters_subnets_and_groups(build: Build) -> None:
    (make,) = [
        s for s in node_statements(build(FULL)) if s["Action"] == "ec2:CreateNetworkInterface"
    ]
    assert len(make["Resource"]) == 3
    assert "subnet/" in text_of(make["Resource"])
    assert "security-group/" in text_of(make["Resource"])


def test_secret_of_the_database_is_the_only_one(build: Build) -> None:
    (secret,) = [
        s for s in node_statements(build(FULL)) if "secretsmanager:GetSecretValue" in s["Action"]
    ]
    assert "SecretAttachment" in secret["Resource"]["Fn::ImportValue"]


def test_boundary_is_on_every_role_those_of_the_cdk_included(build: Build) -> None:
    roles = build(FULL).resources("AWS::IAM::Role")
    assert len(roles) >= 5
    for name, role in roles.items():
        assert role["Properties"].get("PermissionsBoundary") == (
            f"arn:aws:iam::{ACCOUNT}:policy/boundary"
        ), name


def test_without_a_boundary_there_is_none(build: Build) -> None:
    for role in properties(build(MINIMAL), "AWS::IAM::Role"):
        assert "PermissionsBoundary" not in role


def test_key_rotates_and_names_the_services_that_need_it(build: Build) -> None:
    key = only(build(MINIMAL), "AWS::KMS::Key")
    assert key["EnableKeyRotation"] is True
    sids = {s["Sid"] for s in key["KeyPolicy"]["Statement"]}
    assert sids == {"AccountAdministers", "LogGroups", "AlarmTopic", "LustreAssociations"}
    for statement in key["KeyPolicy"]["Statement"]:
        assert statement["Sid"] == "AccountAdministers" or statement["Condition"]


def test_service_roles_can_be_assumed_for_this_account_only_where_the_service_says_so(
    build: Build,
) -> None:
    trusts = {
        text_of(s["Principal"]["Service"]): s.get("Condition")
        for p in properties(build(FULL), "AWS::IAM::Role")
        for s in p["AssumeRolePolicyDocument"]["Statement"]
    }
    assert trusts['"vpc-flow-logs.amazonaws.com"'] == {
        "StringEquals": {"aws:SourceAccount": ACCOUNT}
    }
    assert '"sagemaker.amazonaws.com"' in trusts
