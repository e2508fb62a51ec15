"""Tests of services.parallelcluster.provider."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from botocore.exceptions import ClientError

from clusterwright_localaws import local_aws
from packages.localaws.tests.cloudformation.stacks import (
    CAPABILITIES,
    aws,
    cloudformation,
    create,
    reason,
    resource,
    settled,
    template,
)
from packages.localaws.tests.services.parallelcluster.clusters import (
    HOSTED,
    VERSION,
    Ground,
    body,
    lay_ground,
)


@pytest.fixture
def ground() -> Iterator[Ground]:
    with local_aws():
        yield lay_ground()


class TestProvider:
    def test_provider_requires_capability_auto_expand(self, ground: Ground) -> None:
        cloudformation().create_stack(
            StackName="top",
            TemplateBody=body(ground.configuration()),
            Capabilities=["CAPABILITY_NAMED_IAM"],
        )
        assert settled("top")["StackStatus"] == "ROLLBACK_COMPLETE"
        assert "CAPABILITY_AUTO_EXPAND" in reason("top", "Provider", "CREATE_FAILED")

    @pytest.mark.parametrize("version", ["3.5.1", "2.11.0", "latest"])
    def test_unknown_provider_releases_are_not_found(self, ground: Ground, version: str) -> None:
        stack = create("top", body(ground.configuration(), version=version))
        assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
        assert "S3 error" in reason("top", "Provider", "CREATE_FAILED")

    def test_bucket_of_another_region_has_no_provider(self, ground: Ground) -> None:
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

    def test_other_function_creates_no_cluster(self, ground: Ground) -> None:
        properties = {
            "ServiceToken": "arn:aws:lambda:us-east-1:111122223333:function:other",
            "ClusterName": "train",
            "ClusterConfiguration": ground.configuration(),
        }
        stack = create("top", template({"C": resource("Custom::PclusterCluster", properties)}))
        assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
        assert "Function not found" in reason("top", "C", "CREATE_FAILED")
