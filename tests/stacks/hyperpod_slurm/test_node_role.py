"""Tests of node role."""

from __future__ import annotations

from tests.stacks.identity.node_statements import WITHOUT_RESOURCE, node_statements
from tests.stacks.specs import ACCOUNT, FULL, MINIMAL, changed
from tests.stacks.templates import listed, text_of
from tests.support.synthesis import Build


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
