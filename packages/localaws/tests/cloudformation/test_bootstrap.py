"""The bootstrap template of the pinned CDK CLI."""

from __future__ import annotations

import json
from typing import Any

import pytest
from botocore.exceptions import ClientError

from packages.localaws.tests.cloudformation.stacks import (
    ACCOUNT,
    REGION,
    aws,
    cloudformation,
    create,
    delete,
    described,
    outputs,
    resources_of,
    template,
    update,
)
from tools.setup.paths import CDK_HOME

pytestmark = pytest.mark.usefixtures("local")

TEMPLATE = (
    CDK_HOME / "node_modules" / "aws-cdk" / "lib" / "api" / "bootstrap" / "bootstrap-template.yaml"
)
PARAMETERS = {
    "CloudFormationExecutionPolicies": "arn:aws:iam::aws:policy/AdministratorAccess",
    "FileAssetsBucketKmsKeyId": "AWS_MANAGED_KEY",
    "PublicAccessBlockConfiguration": "true",
}
BUCKET = f"cdk-hnb659fds-assets-{ACCOUNT}-{REGION}"


def bootstrap(change: Any = create, **parameters: str) -> dict[str, Any]:
    given = {**PARAMETERS, **parameters}
    stack: dict[str, Any] = change(
        "CDKToolkit",
        TEMPLATE.read_text(),
        Parameters=[
            {"ParameterKey": key, "ParameterValue": value} for key, value in given.items()
        ],
    )
    return stack


def test_bootstrap_template_creates_its_resources() -> None:
    stack = bootstrap()
    assert stack["StackStatus"] == "CREATE_COMPLETE"
    found = outputs(stack)
    assert found["BucketName"] == BUCKET
    version = aws("ssm").get_parameter(Name="/cdk-bootstrap/hnb659fds/version")["Parameter"]
    assert version["Value"] == found["BootstrapVersion"]
    assert int(version["Value"]) >= 33
    roles = {role["RoleName"] for role in aws("iam").list_roles()["Roles"]}
    for kind in ("deploy", "cfn-exec", "file-publishing", "image-publishing", "lookup"):
        assert f"cdk-hnb659fds-{kind}-role-{ACCOUNT}-{REGION}" in roles
    (repository,) = aws("ecr").describe_repositories()["repositories"]
    assert repository["repositoryName"] == f"cdk-hnb659fds-container-assets-{ACCOUNT}-{REGION}"


def test_conditions_of_the_bootstrap_template_are_evaluated() -> None:
    bootstrap()
    assert "FileAssetsBucketEncryptionKey" not in resources_of("CDKToolkit")
    assert "CdkBoostrapPermissionsBoundaryPolicy" not in resources_of("CDKToolkit")
    delete("CDKToolkit")
    aws("s3").delete_bucket(Bucket=BUCKET)
    bootstrap(FileAssetsBucketKmsKeyId="")
    assert "FileAssetsBucketEncryptionKey" in resources_of("CDKToolkit")


def test_the_bucket_has_every_setting_of_the_template() -> None:
    bootstrap()
    s3 = aws("s3")
    (rule,) = s3.get_bucket_encryption(Bucket=BUCKET)["ServerSideEncryptionConfiguration"]["Rules"]
    assert rule["ApplyServerSideEncryptionByDefault"]["SSEAlgorithm"] == "aws:kms"
    assert s3.get_bucket_versioning(Bucket=BUCKET)["Status"] == "Enabled"
    rules = {
        item["ID"]: item for item in s3.get_bucket_lifecycle_configuration(Bucket=BUCKET)["Rules"]
    }
    assert rules["CleanupOldVersions"]["NoncurrentVersionExpiration"] == {"NoncurrentDays": 30}
    block = s3.get_public_access_block(Bucket=BUCKET)["PublicAccessBlockConfiguration"]
    assert set(block.values()) == {True}
    (statement,) = json.loads(s3.get_bucket_policy(Bucket=BUCKET)["Policy"])["Statement"]
    assert statement["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}


def test_only_changed_parameters_change_the_bootstrap_stack() -> None:
    bootstrap()
    with pytest.raises(ClientError, match="No updates are to be performed"):
        bootstrap(update)
    stack = bootstrap(update, PublicAccessBlockConfiguration="false")
    assert stack["StackStatus"] == "UPDATE_COMPLETE"
    with pytest.raises(ClientError, match="NoSuchPublicAccessBlockConfiguration"):
        aws("s3").get_public_access_block(Bucket=BUCKET)


def test_deletion_keeps_the_retained_resources() -> None:
    """Its bucket and its image repository are kept after the stack if the template states so."""
    bootstrap()
    stack_id = described("CDKToolkit")["StackId"]
    assert delete("CDKToolkit")["StackStatus"] == "DELETE_COMPLETE"
    assert [bucket["Name"] for bucket in aws("s3").list_buckets()["Buckets"]] == [BUCKET]
    assert [role for role in aws("iam").list_roles()["Roles"] if "cdk-" in role["RoleName"]] == []
    kept = {
        stack_resource["LogicalResourceId"]
        for stack_resource in cloudformation().describe_stack_resources(StackName=stack_id)[
            "StackResources"
        ]
        if stack_resource["ResourceStatus"] == "DELETE_SKIPPED"
    }
    assert kept == {"StagingBucket"}


def test_a_stack_that_needs_a_newer_bootstrap_is_refused() -> None:
    """The rule that the CDK puts into every template."""
    bootstrap()

    def needing(version: str) -> str:
        return template(
            {"P": {"Type": "AWS::SSM::Parameter", "Properties": {"Type": "String", "Value": "1"}}},
            Parameters={
                "BootstrapVersion": {
                    "Type": "AWS::SSM::Parameter::Value<String>",
                    "Default": "/cdk-bootstrap/hnb659fds/version",
                }
            },
            Rules={
                "CheckBootstrapVersion": {
                    "Assertions": [
                        {
                            "Assert": {
                                "Fn::Not": [
                                    {"Fn::Contains": [[version], {"Ref": "BootstrapVersion"}]}
                                ]
                            },
                            "AssertDescription": "Please run 'cdk bootstrap'",
                        }
                    ]
                }
            },
        )

    assert create("one", needing("5"))["StackStatus"] == "CREATE_COMPLETE"
    current = outputs(described("CDKToolkit"))["BootstrapVersion"]
    with pytest.raises(ClientError, match="Please run 'cdk bootstrap'"):
        create("two", needing(current))
