"""Sources of templates, their summaries, and unsupported requests."""

from __future__ import annotations

import time

import pytest
from botocore.exceptions import ClientError

from packages.localaws.tests.cloudformation.change_sets import plan
from packages.localaws.tests.cloudformation.stacks import (
    cloudformation,
    create,
    parameter,
    resource,
    template,
)

ONE = template({"P": parameter("1")})


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

    def test_template_summary_lists_parameters_and_capabilities(self) -> None:
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

    def test_summary_of_a_stack_is_that_of_its_template(self) -> None:
        create("one", ONE)
        found = cloudformation().get_template_summary(StackName="one")
        assert found["ResourceTypes"] == ["AWS::SSM::Parameter"]

    def test_a_stack_in_review_has_no_summary(self) -> None:
        plan("one", ONE, "CREATE")
        with pytest.raises(ClientError) as caught:
            cloudformation().get_template_summary(StackName="one")
        assert caught.value.response["Error"]["Message"] == (
            "GetTemplateSummary cannot be called on REVIEW_IN_PROGRESS stacks."
        )

    def test_template_of_a_change_set_needs_its_stack(self) -> None:
        with pytest.raises(ClientError) as caught:
            cloudformation().get_template(ChangeSetName="c")
        assert caught.value.response["Error"]["Message"] == "StackName is a required parameter."

    def test_validate_template_reports_errors(self) -> None:
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
    assert time.monotonic() - start < 30
    assert refused.value.response["ResponseMetadata"]["HTTPStatusCode"] == 400
    assert "local AWS" in refused.value.response["Error"]["Message"]
