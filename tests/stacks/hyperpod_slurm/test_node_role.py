"""Tests of node role."""

from __future__ import annotations

from tests.stacks.identity.node_statements import WITHOUT_RESOURCE, node_statements
from tests.stacks.templates import listed, text_of
from tests.support.rich_specs import ACCOUNT, FULL, MINIMAL, changed
from tests.support.synthesis import Build


def test_wildcard_resource_is_only_for_actions_without_resource_types(build: Build) -> None:
    for statement in node_statements(build(FULL)):
        if statement["Resource"] == "*":
            assert set(listed(statement["Action"])) <= WITHOUT_RESOURCE


def test_node_actions_have_no_wildcards(build: Build) -> None:
    for statement in node_statements(build(FULL)):
        assert not [a for a in listed(statement["Action"]) if "*" in a]
        assert statement["Effect"] == "Allow"


def test_metrics_are_limited_by_namespace(build: Build) -> None:
    (metrics,) = [
        s for s in node_statements(build(FULL)) if s["Action"] == "cloudwatch:PutMetricData"
    ]
    assert metrics["Condition"] == {
        "StringEquals": {"cloudwatch:namespace": "/aws/sagemaker/Clusters"}
    }


def test_logs_are_limited_to_the_cluster(build: Build) -> None:
    (logs,) = [s for s in node_statements(build(FULL)) if "logs:PutLogEvents" in s["Action"]]
    assert logs["Resource"] == (
        f"arn:aws:logs:us-east-1:{ACCOUNT}:log-group:/aws/sagemaker/Clusters/test/*"
    )


def test_permissions_depend_on_the_spec(build: Build) -> None:
    actions = {a for s in node_statements(build(MINIMAL)) for a in listed(s["Action"])}
    assert not [a for a in actions if a.split(":")[0] in ("ecr", "fsx", "secretsmanager", "aps")]
    without = changed(MINIMAL, identity={"session_manager": False})
    actions = {a for s in node_statements(build(without)) for a in listed(s["Action"])}
    assert not [a for a in actions if a.startswith("ssm")]


def test_nodes_can_read_mounted_buckets_and_never_delete(build: Build) -> None:
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


def test_directory_buckets_use_sessions(build: Build) -> None:
    (express,) = [s for s in node_statements(build(FULL)) if "s3express" in text_of(s["Action"])]
    assert express["Action"] == "s3express:CreateSession"
    assert express["Resource"] == (
        f"arn:aws:s3express:us-east-1:{ACCOUNT}:bucket/test-shuffle--use1-az6--x-s3"
    )


def test_key_grants_are_limited_to_aws_services(build: Build) -> None:
    (grants,) = [s for s in node_statements(build(FULL)) if s["Action"] == "kms:CreateGrant"]
    assert grants["Condition"] == {"Bool": {"kms:GrantIsForAWSResource": "true"}}
