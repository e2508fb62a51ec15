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
from tests.support.rich_specs import ACCOUNT, FULL, changed
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


def decisions(
    account: Account, actions: list[str], arn: str, *, group: str = "workers"
) -> list[str]:
    roles = {
        found["InstanceGroupName"]: found["ExecutionRole"]
        for found in account.client("sagemaker").describe_cluster(ClusterName="test")[
            "InstanceGroups"
        ]
    }
    assert len(set(roles.values())) == len(roles)
    return simulated(account, roles[group], actions, arn)


def simulated(account: Account, role: str, actions: list[str], arn: str) -> list[str]:
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


def test_only_the_controller_reads_the_databases_secret(enforced: Account) -> None:
    secrets = enforced.client("secretsmanager").list_secrets()["SecretList"]
    (arn,) = [found["ARN"] for found in secrets if "accounting" in found["Name"]]
    for group, decision in (
        ("controller", "allowed"),
        ("login", "implicitDeny"),
        ("workers", "implicitDeny"),
    ):
        found = decisions(enforced, ["secretsmanager:GetSecretValue"], arn, group=group)
        assert found == [decision], group


def test_interfaces_of_other_networks_are_out_of_reach(enforced: Account) -> None:
    interface = f"arn:aws:ec2:us-east-1:{ACCOUNT}:network-interface/eni-0123456789abcdef0"
    actions = [
        "ec2:CreateNetworkInterfacePermission",
        "ec2:CreateTags",
        "ec2:DeleteNetworkInterface",
        "ec2:DetachNetworkInterface",
    ]
    assert decisions(enforced, actions, interface) == ["implicitDeny"] * len(actions)


def test_the_role_for_jobs_has_the_data_and_only_nodes_may_assume_it(enforced: Account) -> None:
    role = f"arn:aws:iam::{ACCOUNT}:role/test-us-east-1-jobs"
    assert decisions(enforced, ["sts:AssumeRole"], role) == ["allowed"]
    objects = "arn:aws:s3:::test-results/run-1/metrics.json"
    actions = ["s3:GetObject", "s3:PutObject", "s3:DeleteObject"]
    assert simulated(enforced, role, actions, objects) == ["allowed", "allowed", "implicitDeny"]
    # Of the node's own role.
    assert decisions(enforced, actions, objects) == ["implicitDeny"] * 3
    group = enforced.client("sagemaker").describe_cluster(ClusterName="test")["InstanceGroups"][0]
    bucket = group["LifeCycleConfig"]["SourceS3Uri"].removeprefix("s3://").partition("/")[0]
    scripts = f"arn:aws:s3:::{bucket}/lifecycle/x/on_create.sh"
    assert simulated(enforced, role, actions, scripts) == ["implicitDeny"] * 3


def test_stacks_are_updated_and_deleted(enforced: Account, build: Build) -> None:
    statuses = enforced.deploy(build(changed(SPEC, compute__2__count=12)))
    assert statuses["test-cluster"] == "UPDATE_COMPLETE"


def test_jobs_pull_from_the_repositories_of_the_spec(enforced: Account) -> None:
    ecr = enforced.client("ecr")
    (repository,) = ecr.describe_repositories()["repositories"]
    assert repository["repositoryName"] == "acme-rich/training"
    assert repository["encryptionConfiguration"]["encryptionType"] == "KMS"
    assert repository["imageTagMutability"] == "IMMUTABLE"
    (rule,) = json.loads(
        ecr.get_lifecycle_policy(repositoryName="acme-rich/training")["lifecyclePolicyText"]
    )["rules"]
    assert rule["selection"]["countNumber"] == 20
    jobs = f"arn:aws:iam::{ACCOUNT}:role/test-us-east-1-jobs"
    login = simulated(enforced, jobs, ["ecr:GetAuthorizationToken"], "*")
    assert login == ["allowed"]
    pull_and_push = ["ecr:BatchGetImage", "ecr:PutImage"]
    listed = f"arn:aws:ecr:us-east-1:{ACCOUNT}:repository/evaluation"
    for arn, pull in (
        (repository["repositoryArn"], "allowed"),
        (listed, "allowed"),
        (listed + "-2", "implicitDeny"),
    ):
        assert simulated(enforced, jobs, pull_and_push, arn) == [pull, "implicitDeny"]
