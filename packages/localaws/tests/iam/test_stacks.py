"""CloudFormation, HyperPod and our own roles where the world enforces IAM."""

from __future__ import annotations

import pytest
from botocore.exceptions import ClientError

from packages.localaws.tests.iam.conftest import (
    ACCOUNT,
    ADMIN,
    allow,
    role,
    user,
)
from packages.localaws.tests.iam.stacks import TOPIC, create

pytestmark = pytest.mark.usefixtures("enforced")
RIGHTS = allow(["cloudformation:*"])


def test_stack_uses_the_permissions_of_its_caller() -> None:
    status, (reason,) = create(user("ann", RIGHTS))
    assert status == "ROLLBACK_COMPLETE"
    assert f"User: arn:aws:iam::{ACCOUNT}:user/ann is not authorized to perform: " in reason
    assert "sns:CreateTopic on resource: arn:aws:sns:us-east-1:111122223333:t because" in reason
    assert "(Service: Sns, Status Code: 403" in reason
    assert reason.endswith("HandlerErrorCode: AccessDenied)")
    via = {"ForAnyValue:StringEquals": {"aws:CalledVia": "cloudformation.amazonaws.com"}}
    bob = user("bob", RIGHTS, allow("sns:*", Condition=via))
    ADMIN("cloudformation").delete_stack(StackName="s")
    assert create(bob)[0] == "CREATE_COMPLETE"
    with pytest.raises(ClientError, match="sns:ListTopics"):
        bob("sns").list_topics()


def test_service_role_replaces_the_permissions_of_the_caller() -> None:
    weak = role("weak", trusts={"Service": "cloudformation.amazonaws.com"})
    strong = role("strong", allow("sns:*"), trusts={"Service": "cloudformation.amazonaws.com"})
    ann = user("ann", RIGHTS, allow("iam:PassRole"))
    status, (reason,) = create(ann, RoleARN=weak)
    assert status == "ROLLBACK_COMPLETE"
    assert "assumed-role/weak/AWSCloudFormation is not authorized to perform: " in reason
    ADMIN("cloudformation").delete_stack(StackName="s")
    assert create(ann, RoleARN=strong)[0] == "CREATE_COMPLETE"


def test_service_role_requires_pass_role_and_trust() -> None:
    arn = role("strong", allow("sns:*"), trusts={"Service": "cloudformation.amazonaws.com"})
    with pytest.raises(ClientError, match=f"iam:PassRole on resource: {arn} because"):
        create(user("ann", RIGHTS), RoleARN=arn)
    other = role("other", allow("*"), trusts={"Service": "ec2.amazonaws.com"})
    with pytest.raises(ClientError, match=f"Role {other} is invalid or cannot be assumed"):
        create(user("bob", RIGHTS, allow("iam:PassRole")), RoleARN=other)


def test_ssm_parameter_requires_permissions_of_the_caller() -> None:
    ADMIN("ssm").put_parameter(Name="/a/b", Value="t", Type="String")
    template = {
        "Parameters": {"P": {"Type": "AWS::SSM::Parameter::Value<String>", "Default": "/a/b"}},
        **TOPIC,
    }
    ann = user("ann", RIGHTS, allow("sns:*"))
    with pytest.raises(ClientError, match=r"ssm:GetParameters on resource: .*parameter/a/b"):
        create(ann, template)
    assert create(user("bob", RIGHTS, allow(["sns:*", "ssm:GetParameters"])), template)[0] == (
        "CREATE_COMPLETE"
    )
