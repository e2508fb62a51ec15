"""HyperPod with EKS with enforced IAM: deployed, with minimal permissions of its roles."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from clusterwright_localaws import local_aws
from tests.stacks.deployment import Account, bootstrapped
from tests.support.rich_specs import ACCOUNT, HYPERPOD_EKS, changed
from tests.support.synthesis import Build

SPEC = changed(
    HYPERPOD_EKS,
    protection="destroy",
    storage__image_repositories=[{"name": "jobs", "create": True}],
)
OTHER_REGION = f"arn:aws:sagemaker:us-west-2:{ACCOUNT}:cluster/abcdefghijkl"


@pytest.fixture(scope="module")
def enforced(build: Build) -> Iterator[Account]:
    with local_aws(iam="enforced"):
        found = bootstrapped()
        found.deploy(build(SPEC))
        yield found


def decision(account: Account, role: str, action: str, arn: str) -> str:
    owner = {
        "ContextKeyName": "aws:ResourceAccount",
        "ContextKeyValues": [arn.split(":")[4]],
        "ContextKeyType": "string",
    }
    found = account.client("iam").simulate_principal_policy(
        PolicySourceArn=role, ActionNames=[action], ResourceArns=[arn], ContextEntries=[owner]
    )
    return str(found["EvaluationResults"][0]["EvalDecision"])


def test_cluster_is_deployed_and_changed_with_enforced_iam(
    enforced: Account, build: Build
) -> None:
    sagemaker = enforced.client("sagemaker")
    assert sagemaker.describe_cluster(ClusterName="test")["ClusterStatus"] == "InService"
    statuses = enforced.deploy(build(changed(SPEC, compute__0__count=3)))
    assert statuses["test-cluster"] == "UPDATE_COMPLETE"


@pytest.mark.parametrize(
    ("action", "resource", "allowed"),
    [
        ("ecr:BatchGetImage", "arn:aws:ecr:us-east-1:602401143452:repository/eks/coredns", True),
        ("ecr:BatchGetImage", f"arn:aws:ecr:us-east-1:{ACCOUNT}:repository/jobs", True),
        ("ecr:BatchGetImage", f"arn:aws:ecr:us-east-1:{ACCOUNT}:repository/other", False),
        ("ecr:PutImage", f"arn:aws:ecr:us-east-1:{ACCOUNT}:repository/jobs", False),
        (
            "eks-auth:AssumeRoleForPodIdentity",
            f"arn:aws:eks:us-east-1:{ACCOUNT}:cluster/test",
            True,
        ),
        (
            "eks-auth:AssumeRoleForPodIdentity",
            f"arn:aws:eks:us-east-1:{ACCOUNT}:cluster/test2",
            False,
        ),
        ("s3:GetObject", "arn:aws:s3:::test-corpus/tokens/0", False),
        ("aps:RemoteWrite", f"arn:aws:aps:us-east-1:{ACCOUNT}:workspace/ws-any", False),
        (
            "sagemaker:BatchDeleteClusterNodes",
            f"arn:aws:sagemaker:us-east-1:{ACCOUNT}:cluster/x",
            False,
        ),
        ("ec2:RunInstances", f"arn:aws:ec2:us-east-1:{ACCOUNT}:instance/*", False),
    ],
)
def test_nodes_have_no_permissions_on_data_or_other_nodes(
    action: str, resource: str, allowed: bool, enforced: Account
) -> None:
    cluster = enforced.client("sagemaker").describe_cluster(ClusterName="test")
    (role,) = {group["ExecutionRole"] for group in cluster["InstanceGroups"]}
    assert (decision(enforced, role, action, resource) == "allowed") is allowed


def test_karpenter_role_is_limited_to_clusters_of_this_region(enforced: Account) -> None:
    cluster = enforced.client("sagemaker").describe_cluster(ClusterName="test")
    role = cluster["ClusterRole"]
    for action in ("sagemaker:BatchAddClusterNodes", "sagemaker:BatchDeleteClusterNodes"):
        assert decision(enforced, role, action, OTHER_REGION) != "allowed"
    assert decision(enforced, role, "sagemaker:DeleteCluster", cluster["ClusterArn"]) != "allowed"


def test_scaling_role_must_trust_hyperpod(enforced: Account) -> None:
    """The nodes' role trusts SageMaker, which is not sufficient."""
    sagemaker = enforced.client("sagemaker")
    cluster = sagemaker.describe_cluster(ClusterName="test")
    nodes = cluster["InstanceGroups"][0]["ExecutionRole"]
    with pytest.raises(
        sagemaker.exceptions.ClientError, match=r"hyperpod\.sagemaker\.amazonaws\.com"
    ):
        sagemaker.create_cluster(
            ClusterName="second",
            ClusterRole=nodes,
            NodeProvisioningMode="Continuous",
            AutoScaling={"Mode": "Enable"},
            Orchestrator=cluster["Orchestrator"],
            VpcConfig=cluster["VpcConfig"],
            InstanceGroups=[
                {
                    "InstanceGroupName": "a",
                    "InstanceType": "ml.m5.large",
                    "InstanceCount": 1,
                    "ExecutionRole": nodes,
                }
            ],
        )


def test_addon_pods_have_the_required_permissions(enforced: Account) -> None:
    iam = enforced.client("iam")
    roles = {r["RoleName"]: r["Arn"] for r in iam.list_roles()["Roles"]}
    arn = enforced.client("sagemaker").describe_cluster(ClusterName="test")["ClusterArn"]
    (operator,) = (a for n, a in roles.items() if "operators-TrainingOperator" in n)
    (metrics,) = (a for n, a in roles.items() if "operators-Observability" in n)
    look = "sagemaker:DescribeClusterNode"
    assert decision(enforced, operator, look, arn) == "allowed"
    assert decision(enforced, operator, look, arn[:-1] + "!") != "allowed"
    assert decision(enforced, metrics, look, arn) != "allowed"
    (workspace,) = enforced.client("amp").list_workspaces()["workspaces"]
    assert decision(enforced, metrics, "aps:RemoteWrite", workspace["arn"]) == "allowed"
