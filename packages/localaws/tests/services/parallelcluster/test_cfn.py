"""ParallelCluster's custom resource: the provider's stack, validation, and the cluster."""

from __future__ import annotations

import json
from collections.abc import Iterator

import boto3
import pytest

from clusterwright_localaws import local_aws
from clusterwright_localaws.services.parallelcluster.validation import PYTHON
from packages.localaws.tests.cloudformation.stacks import (
    ACCOUNT,
    CAPABILITIES,
    REGION,
    aws,
    cloudformation,
    create,
    delete,
    described,
    outputs,
    reason,
    resource,
    resources_of,
    settled,
    template,
    update,
)
from packages.localaws.tests.services.parallelcluster.clusters import (
    VERSION,
    Ground,
    body,
    lay_ground,
    nodes,
)


@pytest.fixture(autouse=True)
def _without_validation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PYTHON, "")


@pytest.fixture
def ground() -> Iterator[Ground]:
    with local_aws():
        yield lay_ground()


def two(count: int = 2) -> list[tuple[str, str]]:
    compute = [("Compute", "m5.2xlarge")] * count
    return [*compute, ("HeadNode", "m5.xlarge"), ("LoginNode", "m5.large")]


VALIDATED = pytest.mark.usefixtures("validated_by_pcluster")
"""Each validation starts a process: for tests about validation only."""


class TestCluster:
    @VALIDATED
    def test_cluster_has_a_separate_stack_that_is_deleted_with_it(self, ground: Ground) -> None:
        stack = create("top", body(ground.configuration()))
        assert stack["StackStatus"] == "CREATE_COMPLETE", reason("top", "Cluster", "CREATE_FAILED")
        assert nodes() == two()
        found = outputs(stack)
        (head,) = aws("ec2").describe_instances(InstanceIds=[found["Head"]])["Reservations"]
        assert head["Instances"][0]["PrivateIpAddress"] == found["Address"]
        cluster = described("train")
        assert cluster["StackStatus"] == "CREATE_COMPLETE"
        assert "ParentId" not in cluster
        remark = reason("top", "Cluster", "CREATE_COMPLETE")
        assert f"validated in part by aws-parallelcluster {VERSION}" in remark
        delete("top")
        assert nodes() == []
        assert cloudformation().describe_stacks()["Stacks"] == []
        assert aws("s3").list_buckets()["Buckets"] == []
        assert aws("iam").list_roles()["Roles"] == []

    @VALIDATED
    def test_schema_violations_fail_the_stack_with_their_message(self, ground: Ground) -> None:
        stack = create("top", body(ground.configuration(Unknown=1)))
        assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
        said = reason("top", "Cluster", "CREATE_FAILED")
        assert "ConfigSchemaValidator" in said
        assert "Unknown field." in said
        assert nodes() == []

    @VALIDATED
    def test_nodes_are_added_and_removal_is_refused_while_they_run(self, ground: Ground) -> None:
        create("top", body(ground.configuration()))
        assert update("top", body(ground.configuration(4)))["StackStatus"] == "UPDATE_COMPLETE"
        assert nodes() == two(4)
        stack = update("top", body(ground.configuration(3)))
        assert stack["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
        assert "QueueUpdateStrategy" in reason("top", "Cluster", "UPDATE_FAILED")
        assert nodes() == two(4)
        fewer = ground.configuration(3)
        fewer["Scheduling"]["SlurmSettings"] = {"QueueUpdateStrategy": "TERMINATE"}
        assert update("top", body(fewer))["StackStatus"] == "UPDATE_COMPLETE"
        assert nodes() == two(3)

    @VALIDATED
    def test_refused_update_keeps_the_configuration(self, ground: Ground) -> None:
        create("top", body(ground.configuration()))
        other = ground.configuration()
        other["HeadNode"]["InstanceType"] = "m5.2xlarge"
        stack = update("top", body(other))
        assert stack["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
        said = reason("top", "Cluster", "UPDATE_FAILED")
        assert "HeadNode.InstanceType" in said
        assert "creating a new cluster" in said
        assert nodes() == two()

    def test_retained_cluster_is_kept(self, ground: Ground) -> None:
        create("top", body(ground.configuration(), DeletionPolicy="Retain"))
        delete("top")
        assert nodes() == two()
        assert described("train")["StackStatus"] == "CREATE_COMPLETE"

    def test_its_name_cannot_change(self, ground: Ground) -> None:
        create("top", body(ground.configuration()))
        stack = update("top", body(ground.configuration(), ClusterName="other"))
        assert stack["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
        assert "Cannot update the ClusterName" in reason("top", "Cluster", "UPDATE_FAILED")

    def test_another_release_updates_no_cluster(self, ground: Ground) -> None:
        create("top", body(ground.configuration(), version="3.16.0"))
        stack = update("top", body(ground.configuration(4)))
        assert stack["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
        said = reason("top", "Cluster", "UPDATE_FAILED")
        assert "belongs to the ParallelCluster version 3.16.0" in said
        assert nodes() == two()

    def test_an_existing_name_is_refused(self, ground: Ground) -> None:
        create("train", template({"Bucket": resource("AWS::S3::Bucket")}))
        assert create("top", body(ground.configuration()))["StackStatus"] == "ROLLBACK_COMPLETE"
        assert "already exists" in reason("top", "Cluster", "CREATE_FAILED")
        assert described("train")["StackStatus"] == "CREATE_COMPLETE"

    def test_nodes_have_the_configured_policies(self, ground: Ground) -> None:
        policy = "arn:aws:iam::aws:policy/AmazonSSMManagedInstanceCore"
        configuration = ground.configuration()
        iam = {"AdditionalIamPolicies": [{"Policy": policy}]}
        configuration["HeadNode"]["Iam"] = iam
        configuration["Scheduling"]["SlurmQueues"][0]["Iam"] = iam
        create("top", body(configuration))
        found = resources_of("train")
        for name in ("RoleHeadNode", "RoleQueuetraining"):
            role = found[name]["PhysicalResourceId"]
            (attached,) = aws("iam").list_attached_role_policies(RoleName=role)["AttachedPolicies"]
            assert attached["PolicyArn"] == policy

    def test_unknown_policy_fails_the_stack(self, ground: Ground) -> None:
        configuration = ground.configuration()
        policy = "arn:aws:iam::111122223333:policy/parallelcluster-missing"
        configuration["HeadNode"]["Iam"] = {"AdditionalIamPolicies": [{"Policy": policy}]}
        assert create("top", body(configuration))["StackStatus"] == "ROLLBACK_COMPLETE"
        assert "parallelcluster-missing" in reason("top", "Cluster", "CREATE_FAILED")
        assert nodes() == []


def test_exceeded_ec2_quota_fails_the_cluster() -> None:
    with local_aws("new-account"):
        stack = create("top", body(lay_ground().configuration(40)))
        assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
        assert "VcpuLimitExceeded" in reason("top", "Cluster", "CREATE_FAILED")
        assert nodes() == []


@pytest.mark.parametrize("path", ["/", "/parallelcluster/"])
def test_only_parallelcluster_policies_can_be_attached(path: str) -> None:
    """What the provider's own role may attach to a cluster's roles, where IAM is enforced."""
    statement = {"Effect": "Allow", "Action": "s3:ListBucket", "Resource": "*"}
    document = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
    with local_aws(iam="enforced"):
        # Calls of a caller, not of the local AWS itself.
        session = boto3.Session(ACCOUNT, "local", region_name=REGION)
        configuration = lay_ground().configuration()
        policy = aws("iam").create_policy(PolicyName="data", Path=path, PolicyDocument=document)
        iam = {"AdditionalIamPolicies": [{"Policy": policy["Policy"]["Arn"]}]}
        configuration["HeadNode"]["Iam"] = iam
        session.client("cloudformation").create_stack(
            StackName="top", TemplateBody=body(configuration), Capabilities=CAPABILITIES
        )
        done = settled("top")["StackStatus"]
        if path == "/":
            assert done.startswith("ROLLBACK_")
            assert "iam:AttachRolePolicy" in reason("top", "Cluster", "CREATE_FAILED")
        else:
            assert done == "CREATE_COMPLETE", reason("top", "Cluster", "CREATE_FAILED")
