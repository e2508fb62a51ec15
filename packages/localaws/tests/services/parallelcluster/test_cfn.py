"""ParallelCluster's custom resource: the provider's stack, validation, and the cluster."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import boto3
import pytest
from botocore.exceptions import ClientError

from clusterwright_localaws import local_aws
from clusterwright_localaws.services.parallelcluster import validation
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
    HOSTED,
    VERSION,
    Ground,
    body,
    lay_ground,
    nodes,
)
from tests.support.pcluster import pcluster_python, validated_by_pcluster

__all__ = ["pcluster_python", "validated_by_pcluster"]


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


class TestProvider:
    def test_it_needs_the_capability_of_macros(self, ground: Ground) -> None:
        cloudformation().create_stack(
            StackName="top",
            TemplateBody=body(ground.configuration()),
            Capabilities=["CAPABILITY_NAMED_IAM"],
        )
        assert settled("top")["StackStatus"] == "ROLLBACK_COMPLETE"
        assert "CAPABILITY_AUTO_EXPAND" in reason("top", "Provider", "CREATE_FAILED")

    @pytest.mark.parametrize("version", ["3.5.1", "2.11.0", "latest"])
    def test_releases_without_one_are_not_there(self, ground: Ground, version: str) -> None:
        stack = create("top", body(ground.configuration(), version=version))
        assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
        assert "S3 error" in reason("top", "Provider", "CREATE_FAILED")

    def test_another_regions_bucket_has_none_for_this_one(self, ground: Ground) -> None:
        url = HOSTED.format(VERSION).replace("us-east-1", "eu-west-1")
        with pytest.raises(ClientError, match="S3 error"):
            cloudformation().create_stack(
                StackName="top", TemplateURL=url, Capabilities=CAPABILITIES
            )

    def test_a_custom_role_is_accepted(self, ground: Ground) -> None:
        del ground
        trust = {"Effect": "Allow", "Action": "sts:AssumeRole"}
        trust["Principal"] = {"Service": "lambda.amazonaws.com"}  # type: ignore[assignment]
        own = aws("iam").create_role(
            RoleName="own",
            AssumeRolePolicyDocument=json.dumps({"Version": "2012-10-17", "Statement": [trust]}),
        )["Role"]["Arn"]
        provider = {"TemplateURL": HOSTED.format(VERSION), "Parameters": {"CustomLambdaRole": own}}
        stack = create(
            "top", template({"Provider": resource("AWS::CloudFormation::Stack", provider)})
        )
        assert stack["StackStatus"] == "CREATE_COMPLETE"
        (function,) = aws("lambda").list_functions()["Functions"]
        assert function["Role"] == own
        assert [role["RoleName"] for role in aws("iam").list_roles()["Roles"]] == ["own"]

    def test_a_function_that_is_no_provider_makes_no_cluster(self, ground: Ground) -> None:
        properties = {
            "ServiceToken": "arn:aws:lambda:us-east-1:111122223333:function:other",
            "ClusterName": "train",
            "ClusterConfiguration": ground.configuration(),
        }
        stack = create("top", template({"C": resource("Custom::PclusterCluster", properties)}))
        assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
        assert "Function not found" in reason("top", "C", "CREATE_FAILED")


class TestWithoutValidation:
    def test_missing_validation_is_reported(
        self, ground: Ground, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv(PYTHON, "")
        stack = create("top", body(ground.configuration()))
        assert stack["StackStatus"] == "CREATE_COMPLETE"
        assert "UNVALIDATED" in reason("top", "Cluster", "CREATE_COMPLETE")
        (said,) = json.loads(outputs(stack)["Said"])
        assert said["level"] == "WARNING"
        assert said["message"].startswith("UNVALIDATED")
        assert PYTHON in said["message"]

    def test_without_the_variable_the_checkouts_environment_validates(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, pcluster_python: str
    ) -> None:
        monkeypatch.delenv(PYTHON, raising=False)
        assert validation.validator_python() == pcluster_python
        monkeypatch.setattr(validation, "_CHECKOUT", tmp_path)
        assert validation.validator_python() is None
        # An incomplete environment is not used.
        python = tmp_path / ".clusterwright/clients/pcluster/bin/python"
        python.parent.mkdir(parents=True)
        python.touch()
        assert validation.validator_python() is None

    def test_a_python_without_the_package_fails_the_stack(
        self, ground: Ground, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv(PYTHON, "/nonexistent/python")
        stack = create("top", body(ground.configuration()))
        assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
        assert "could not validate" in reason("top", "Cluster", "CREATE_FAILED")
        assert nodes() == []


VALIDATED = pytest.mark.usefixtures("validated_by_pcluster")
"""Each validation starts a process: for tests about validation only."""


class TestCluster:
    @VALIDATED
    def test_it_is_outside_the_stack_and_is_deleted_with_it(self, ground: Ground) -> None:
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
    def test_what_the_schema_refuses_fails_the_stack_with_its_words(self, ground: Ground) -> None:
        stack = create("top", body(ground.configuration(Unknown=1)))
        assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
        said = reason("top", "Cluster", "CREATE_FAILED")
        assert "ConfigSchemaValidator" in said
        assert "Unknown field." in said
        assert nodes() == []

    @VALIDATED
    def test_more_nodes_come_and_fewer_are_refused_while_they_run(self, ground: Ground) -> None:
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
    def test_what_cannot_be_updated_is_refused_and_what_was_stays(self, ground: Ground) -> None:
        create("top", body(ground.configuration()))
        other = ground.configuration()
        other["HeadNode"]["InstanceType"] = "m5.2xlarge"
        stack = update("top", body(other))
        assert stack["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
        said = reason("top", "Cluster", "UPDATE_FAILED")
        assert "HeadNode.InstanceType" in said
        assert "creating a new cluster" in said
        assert nodes() == two()

    def test_a_retained_cluster_stays(self, ground: Ground) -> None:
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

    def test_nodes_carry_the_policies_that_are_given(self, ground: Ground) -> None:
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

    def test_a_policy_that_is_not_there_fails_the_stack(self, ground: Ground) -> None:
        configuration = ground.configuration()
        policy = "arn:aws:iam::111122223333:policy/parallelcluster-missing"
        configuration["HeadNode"]["Iam"] = {"AdditionalIamPolicies": [{"Policy": policy}]}
        assert create("top", body(configuration))["StackStatus"] == "ROLLBACK_COMPLETE"
        assert "parallelcluster-missing" in reason("top", "Cluster", "CREATE_FAILED")
        assert nodes() == []


def test_quotas_of_ec2_stop_a_cluster() -> None:
    with local_aws("new-account"):
        stack = create("top", body(lay_ground().configuration(40)))
        assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
        assert "VcpuLimitExceeded" in reason("top", "Cluster", "CREATE_FAILED")
        assert nodes() == []


@pytest.mark.parametrize("path", ["/", "/parallelcluster/"])
def test_only_policies_of_parallelcluster_are_attached(path: str) -> None:
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
