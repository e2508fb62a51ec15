"""Our stacks where IAM is enforced: the roles in them may do what they have to, and no more.

The nodes' role and the functions of custom resources act with their own rights only, so that a
right that is missing in a template fails the deployment here.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from clusterwright_localaws import local_aws
from tests.stacks.deployment import Account, bootstrapped
from tests.support.rich_specs import FULL, changed
from tests.support.synthesis import Build

SPEC = changed(FULL, protection="destroy")


@pytest.fixture(scope="module")
def enforced(build: Build) -> Iterator[Account]:
    with local_aws(iam="enforced"):
        found = bootstrapped()
        boundary = SPEC["identity"]["permissions_boundary_arn"]
        everything = {"Effect": "Allow", "Action": "*", "Resource": "*"}
        found.client("iam").create_policy(
            PolicyName=boundary.rpartition("/")[2],
            PolicyDocument=json.dumps({"Version": "2012-10-17", "Statement": everything}),
        )
        found.deploy(build(SPEC))
        yield found


def decisions(account: Account, actions: list[str], arn: str) -> list[str]:
    (role,) = {
        group["ExecutionRole"]
        for group in account.client("sagemaker").describe_cluster(ClusterName="test")[
            "InstanceGroups"
        ]
    }
    found = account.client("iam").simulate_principal_policy(
        PolicySourceArn=role, ActionNames=actions, ResourceArns=[arn]
    )
    return [one["EvalDecision"] for one in found["EvaluationResults"]]


def test_cluster_is_deployed_with_enforced_iam(enforced: Account) -> None:
    found = enforced.client("sagemaker").describe_cluster(ClusterName="test")
    assert found["ClusterStatus"] == "InService"


def test_nodes_can_read_their_scripts_and_delete_no_bucket(enforced: Account) -> None:
    group = enforced.client("sagemaker").describe_cluster(ClusterName="test")["InstanceGroups"][0]
    bucket, _, prefix = (
        group["LifeCycleConfig"]["SourceS3Uri"].removeprefix("s3://").partition("/")
    )
    scripts = f"arn:aws:s3:::{bucket}/{prefix}/on_create.sh"
    assert decisions(enforced, ["s3:GetObject", "s3:PutObject", "s3:DeleteObject"], scripts) == [
        "allowed",
        "implicitDeny",
        "implicitDeny",
    ]
    assert decisions(enforced, ["s3:ListBucket", "s3:DeleteBucket"], f"arn:aws:s3:::{bucket}") == [
        "allowed",
        "implicitDeny",
    ]


def test_nodes_can_read_artefacts_and_write_none(enforced: Account) -> None:
    group = enforced.client("sagemaker").describe_cluster(ClusterName="test")["InstanceGroups"][0]
    bucket = group["LifeCycleConfig"]["SourceS3Uri"].removeprefix("s3://").partition("/")[0]
    file = f"arn:aws:s3:::{bucket}/artefacts/{'0' * 64}/enroot_3.4.1-1_amd64.deb"
    assert decisions(enforced, ["s3:GetObject", "s3:PutObject", "s3:DeleteObject"], file) == [
        "allowed",
        "implicitDeny",
        "implicitDeny",
    ]


def test_stacks_are_updated_and_deleted(enforced: Account, build: Build) -> None:
    statuses = enforced.deploy(build(changed(SPEC, compute__2__count=12)))
    assert statuses["test-cluster"] == "UPDATE_COMPLETE"
