"""Policy statements that the roles of nodes share."""

from __future__ import annotations

from tests.stacks.identity.node_statements import node_statements
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


def test_key_grants_are_limited_to_aws_services(build: Build) -> None:
    (grants,) = [s for s in node_statements(build(FULL)) if s["Action"] == "kms:CreateGrant"]
    assert grants["Condition"] == {"Bool": {"kms:GrantIsForAWSResource": "true"}}
