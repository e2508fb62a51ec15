"""Policy statements that the roles of nodes share."""

from __future__ import annotations

from tests.stacks.identity.node_statements import node_statements
from tests.stacks.templates import listed, text_of
from tests.support.rich_specs import ACCOUNT, FULL
from tests.support.synthesis import Build


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
