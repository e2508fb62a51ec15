"""Sources of templates, their summaries, and unsupported requests."""

from __future__ import annotations

import time

import pytest
from botocore.exceptions import ClientError

from clusterwright_localaws.cloudformation.errors import ValidationError
from clusterwright_localaws.cloudformation.requests import bucket_and_key
from packages.localaws.tests.cloudformation.stacks import (
    aws,
    cloudformation,
    create,
    parameter,
    resource,
    resources_of,
    settled,
    template,
)

ONE = template({"P": parameter("1")})


@pytest.mark.parametrize(
    "url",
    [
        "https://s3.us-east-1.amazonaws.com/assets/a/b.json",
        "https://s3.amazonaws.com/assets/a/b.json",
        "https://s3-eu-west-1.amazonaws.com/assets/a/b.json",
        "https://s3.dualstack.us-east-1.amazonaws.com/assets/a/b.json",
        "https://s3.cn-north-1.amazonaws.com.cn/assets/a/b.json",
        "https://assets.s3.amazonaws.com/a/b.json",
        "https://assets.s3.us-east-1.amazonaws.com/a/b.json?versionId=1",
        "http://localhost:5000/assets/a/b.json",
        "http://127.0.0.1:5000/assets/a/b.json",
        "http://[::1]:5000/assets/a/b.json",
        "http://assets.localhost:5000/a/b.json",
        "http://assets.s3.localhost:5000/a/b.json",
        "s3://assets/a/b.json",
        "https://assets.s3.amazonaws.com/a%2Fb.json",
    ],
)
def test_every_form_of_an_s3_url(url: str) -> None:
    assert bucket_and_key(url) == ("assets", "a/b.json")


def test_a_bucket_with_dots() -> None:
    assert bucket_and_key("https://a.b.c.s3.eu-west-1.amazonaws.com/k") == ("a.b.c", "k")


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("https://example.com/assets/a.json", "TemplateURL must be a supported URL."),
        ("https://s3.amazonaws.com.example.com/b/k", "TemplateURL must be a supported URL."),
        ("https://s3.amazonaws.com/assets", "must reference a valid S3 object"),
        ("https://assets.s3.amazonaws.com/", "must reference a valid S3 object"),
    ],
)
def test_what_is_no_s3_object(url: str, message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        bucket_and_key(url)


@pytest.fixture
def asset(local: None) -> str:
    """A template in S3."""
    s3 = aws("s3")
    s3.create_bucket(Bucket="assets")
    s3.put_object(Bucket="assets", Key="one.json", Body=ONE.encode())
    s3.put_object(Bucket="assets", Key="two.bin", Body=b"\xff\xfe\x00")
    return "https://s3.us-east-1.amazonaws.com/assets/one.json"


def test_a_template_from_s3(asset: str) -> None:
    cloudformation().create_stack(StackName="one", TemplateURL=asset)
    assert settled("one")["StackStatus"] == "CREATE_COMPLETE"
    assert set(resources_of("one")) == {"P"}


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("none.json", "S3 error: The specified key does not exist"),
        ("two.bin", "Template format error"),
    ],
)
def test_an_object_that_is_no_template(asset: str, key: str, message: str) -> None:
    with pytest.raises(ClientError, match=message):
        cloudformation().create_stack(StackName="one", TemplateURL=asset.replace("one.json", key))


def test_a_template_once_and_only_once(asset: str) -> None:
    for sources in ({}, {"TemplateURL": asset, "TemplateBody": ONE}):
        with pytest.raises(ClientError, match="Either Template URL or Template Body"):
            cloudformation().create_stack(StackName="one", **sources)


def test_the_previous_template(asset: str) -> None:
    body = template({"P": parameter({"Ref": "Text"})}, Parameters={"Text": {"Type": "String"}})
    create("one", body, Parameters=[{"ParameterKey": "Text", "ParameterValue": "a"}])
    name = resources_of("one")["P"]["PhysicalResourceId"]
    cloudformation().update_stack(
        StackName="one",
        UsePreviousTemplate=True,
        Parameters=[{"ParameterKey": "Text", "ParameterValue": "b"}],
    )
    assert settled("one")["StackStatus"] == "UPDATE_COMPLETE"
    assert aws("ssm").get_parameter(Name=name)["Parameter"]["Value"] == "b"
    with pytest.raises(ClientError, match="cannot specify both"):
        cloudformation().update_stack(StackName="one", UsePreviousTemplate=True, TemplateBody=body)


@pytest.mark.usefixtures("local")
class TestToldAboutATemplate:
    BODY = template(
        {
            "Role": resource(
                "AWS::IAM::Role",
                {
                    "RoleName": "nodes",
                    "AssumeRolePolicyDocument": {"Version": "2012-10-17", "Statement": []},
                },
            ),
            "P": parameter("1"),
        },
        Description="What it is",
        Parameters={
            "Size": {
                "Type": "Number",
                "Default": 4,
                "Description": "how many",
                "AllowedValues": [4, 8],
            },
            "Word": {"Type": "String", "NoEcho": "true"},
        },
        Metadata={"about": 1},
    )

    def test_summary(self) -> None:
        found = cloudformation().get_template_summary(TemplateBody=self.BODY)
        assert found["ResourceTypes"] == ["AWS::IAM::Role", "AWS::SSM::Parameter"]
        assert found["Capabilities"] == ["CAPABILITY_NAMED_IAM"]
        assert "Role" in found["CapabilitiesReason"] or "IAM" in found["CapabilitiesReason"]
        assert found["Metadata"] == '{"about": 1}'
        size, word = found["Parameters"]
        assert (size["DefaultValue"], size["ParameterType"]) == ("4", "Number")
        assert size["ParameterConstraints"] == {"AllowedValues": ["4", "8"]}
        assert word["NoEcho"] is True
        identifiers = {
            summary["ResourceType"]: summary["ResourceIdentifiers"]
            for summary in found["ResourceIdentifierSummaries"]
        }
        assert identifiers["AWS::IAM::Role"] == ["RoleName"]

    def test_summary_of_a_stack(self) -> None:
        create("one", ONE)
        found = cloudformation().get_template_summary(StackName="one")
        assert found["ResourceTypes"] == ["AWS::SSM::Parameter"]

    def test_validation(self) -> None:
        found = cloudformation().validate_template(TemplateBody=self.BODY)
        assert found["Description"] == "What it is"
        assert [item["ParameterKey"] for item in found["Parameters"]] == ["Size", "Word"]
        with pytest.raises(ClientError, match="Template format error"):
            cloudformation().validate_template(TemplateBody='{"Resources": ')

    def test_the_text_is_answered_unchanged(self) -> None:
        text = (
            "Resources:\n  P: # a comment\n    Type: AWS::SSM::Parameter\n"
            "    Properties: {Type: String, Value: !Sub '${AWS::Region}'}\n"
        )
        create("one", text)
        assert cloudformation().get_template(StackName="one")["TemplateBody"] == text


@pytest.mark.usefixtures("local")
@pytest.mark.parametrize(
    ("operation", "parameters"),
    [
        ("create_stack_set", {"StackSetName": "x"}),
        ("list_types", {}),
        ("create_generated_template", {"GeneratedTemplateName": "x"}),
    ],
)
def test_an_unimplemented_operation_is_refused_at_once(
    operation: str, parameters: dict[str, str]
) -> None:
    start = time.monotonic()
    with pytest.raises(ClientError) as refused:
        getattr(cloudformation(), operation)(**parameters)
    assert time.monotonic() - start < 5
    assert refused.value.response["ResponseMetadata"]["HTTPStatusCode"] == 400
    assert "local AWS" in refused.value.response["Error"]["Message"]


@pytest.mark.usefixtures("local")
@pytest.mark.parametrize("method", ["create_stack", "create_change_set"])
def test_a_mode_that_is_not_built_is_refused(method: str) -> None:
    more = {"ChangeSetName": "x"} if method == "create_change_set" else {}
    with pytest.raises(ClientError, match="does not have the deployment mode EXPRESS"):
        getattr(cloudformation(), method)(
            StackName="one", TemplateBody=ONE, DeploymentConfig={"Mode": "EXPRESS"}, **more
        )
