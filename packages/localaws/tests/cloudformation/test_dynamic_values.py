"""Values that a template refers to in one account and region."""

from __future__ import annotations

import pytest

from clusterwright_localaws.cloudformation.api.common import draft
from clusterwright_localaws.cloudformation.dynamic_values import (
    fill_dynamic,
    pseudo_parameters,
    ssm_value,
    zones,
)
from clusterwright_localaws.cloudformation.errors import ValidationError
from clusterwright_localaws.cloudformation.parameters import SsmValue
from clusterwright_localaws.cloudformation.store import Store
from packages.localaws.tests.cloudformation.stacks import (
    ACCOUNT,
    REGION,
    Pretend,
    aws,
    create,
    events,
    parameter,
    reason,
    template,
    update,
)


def test_dynamic_references_are_resolved_only_for_the_handler(pretend: Pretend) -> None:
    aws("secretsmanager").create_secret(Name="db", SecretString='{"password": "hunter2"}')
    secret = "{{resolve:secretsmanager:db:SecretString:password}}"
    create("s", template({"A": parameter(secret)}))
    assert pretend.existing["A-1"]["Value"] == "hunter2"
    assert "hunter2" not in str(events("s"))
    aws("ssm").put_parameter(Name="p", Type="String", Value="7")
    update("s", template({"A": parameter("v{{resolve:ssm:p}}")}))
    assert pretend.existing["A-1"]["Value"] == "v7"
    stack = update("s", template({"A": parameter("{{resolve:ssm:none}}")}))
    assert stack["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
    assert "Unable to fetch parameters [none]" in reason("s", "A", "UPDATE_FAILED")


def test_secure_string_is_not_read_as_a_plain_one(pretend: Pretend) -> None:
    aws("ssm").put_parameter(Name="/s", Type="SecureString", Value="hunter2")
    stack = create("s", template({"A": parameter("{{resolve:ssm:/s}}")}))
    assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
    message = "Non-secure ssm prefix was used for secure parameter: /s"
    assert message in reason("s", "A", "CREATE_FAILED")
    assert "hunter2" not in str(pretend.existing)


@pytest.mark.parametrize(
    ("region", "partition", "suffix"),
    [
        ("us-east-1", "aws", "amazonaws.com"),
        ("cn-north-1", "aws-cn", "amazonaws.com.cn"),
        ("us-gov-west-1", "aws-us-gov", "amazonaws.com"),
    ],
)
def test_pseudo_parameters(region: str, partition: str, suffix: str) -> None:
    stack = draft(Store(ACCOUNT, region), "s")
    assert pseudo_parameters(stack, ["arn:t"]) == {
        "AWS::AccountId": ACCOUNT,
        "AWS::NotificationARNs": ["arn:t"],
        "AWS::Partition": partition,
        "AWS::Region": region,
        "AWS::StackId": stack.stack_id,
        "AWS::StackName": "s",
        "AWS::URLSuffix": suffix,
    }


@pytest.mark.usefixtures("local")
class TestLookups:
    def test_zones_of_a_region_are_sorted_and_without_local_zones(self) -> None:
        found = zones(ACCOUNT, REGION)
        assert found == sorted(found)
        assert found[0] == "us-east-1a"
        assert all(len(zone) == len("us-east-1a") for zone in found)

    def test_a_parameter_of_ssm(self) -> None:
        aws("ssm").put_parameter(Name="p", Type="String", Value="7")
        assert ssm_value(ACCOUNT, REGION, "p") == SsmValue("7")
        assert ssm_value(ACCOUNT, REGION, "p:1") == SsmValue("7")
        assert ssm_value(ACCOUNT, REGION, "none") is None

    def test_a_secure_string_needs_its_own_prefix(self) -> None:
        aws("ssm").put_parameter(Name="/s", Type="SecureString", Value="hunter2")
        assert ssm_value(ACCOUNT, REGION, "/s") == SsmValue("hunter2", is_secure=True)
        assert fill_dynamic("{{resolve:ssm-secure:/s}}", ACCOUNT, REGION) == "hunter2"
        message = "Non-secure ssm prefix was used for secure parameter: /s"
        with pytest.raises(ValidationError, match=message):
            fill_dynamic("{{resolve:ssm:/s}}", ACCOUNT, REGION)

    def test_references_are_filled_at_any_depth(self) -> None:
        aws("ssm").put_parameter(Name="p", Type="String", Value="7")
        aws("secretsmanager").create_secret(Name="s", SecretString='{"k": 1}')
        value = {
            "a": ["{{resolve:ssm:p}}-{{resolve:secretsmanager:s:SecretString:k}}", 5],
            "b": "{{resolve:secretsmanager:s}}",
        }
        assert fill_dynamic(value, ACCOUNT, REGION) == {"a": ["7-1", 5], "b": '{"k": 1}'}

    @pytest.mark.parametrize(
        ("reference", "message"),
        [
            ("ssm:none", r"Unable to fetch parameters \[none\]"),
            ("secretsmanager:none", "Could not find a value associated with none"),
            ("secretsmanager:s:SecretString:x", "JSONKey in SecretString$"),
            ("secretsmanager:plain:SecretString:x", "Could not parse SecretString JSON"),
            ("secretsmanager:s:SecretString:k:OTHER", "Could not find a value associated with s"),
        ],
    )
    def test_what_is_not_there(self, reference: str, message: str) -> None:
        aws("secretsmanager").create_secret(Name="s", SecretString='{"k": 1}')
        aws("secretsmanager").create_secret(Name="plain", SecretString="plain")
        with pytest.raises(ValidationError, match=message):
            fill_dynamic(f"{{{{resolve:{reference}}}}}", ACCOUNT, REGION)
