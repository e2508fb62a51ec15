"""Policies, roles, and IAM's simulations."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from botocore.stub import Stubber

from clusterwright.aws import iam
from clusterwright.aws.errors import AwsUnavailable
from clusterwright.aws.session import AwsSession

POLICY = "arn:aws:iam::111122223333:policy/boundary"
ROLE = "arn:aws:iam::111122223333:role/node"
ASKED = iam.Simulation(
    ("s3:GetObject", "s3:PutObject"), "*", (("aws:SecureTransport", "true"), ("aws:user", "ada"))
)
CONTEXT = [
    {
        "ContextKeyName": "aws:SecureTransport",
        "ContextKeyType": "boolean",
        "ContextKeyValues": ["true"],
    },
    {"ContextKeyName": "aws:user", "ContextKeyType": "string", "ContextKeyValues": ["ada"]},
]


@pytest.fixture
def stub(session: AwsSession) -> Iterator[Stubber]:
    with Stubber(session.client("iam")) as stub:
        yield stub


def result(action: str, decision: str = "allowed", **more: Any) -> dict[str, Any]:
    return {"EvalActionName": action, "EvalDecision": decision, **more}


def test_the_default_version_of_a_policy_is_read(session: AwsSession, stub: Stubber) -> None:
    stub.add_response("get_policy", {"Policy": {"DefaultVersionId": "v3"}}, {"PolicyArn": POLICY})
    stub.add_response(
        "get_policy_version",
        {"PolicyVersion": {"Document": "{}"}},
        {"PolicyArn": POLICY, "VersionId": "v3"},
    )
    assert iam.policy_document(session, POLICY) == "{}"


def test_what_does_not_exist(session: AwsSession, stub: Stubber) -> None:
    for _ in range(2):
        stub.add_client_error("get_policy", "NoSuchEntity", http_status_code=404)
    stub.add_client_error("get_role", "NoSuchEntity", http_status_code=404)
    stub.add_client_error("simulate_principal_policy", "NoSuchEntity", http_status_code=404)
    assert not iam.policy_exists(session, POLICY)
    assert iam.policy_document(session, POLICY) is None
    assert not iam.role_exists(session, "node")
    assert iam.simulate_role(session, ROLE, ASKED) is None


def test_a_denial_is_unavailable(session: AwsSession, stub: Stubber) -> None:
    stub.add_client_error("get_role", "AccessDenied", http_status_code=403)
    stub.add_client_error("get_policy", "AccessDenied", http_status_code=403)
    with pytest.raises(AwsUnavailable, match="iam:GetRole"):
        iam.role_exists(session, "node")
    with pytest.raises(AwsUnavailable, match="iam:GetPolicy"):
        iam.policy_exists(session, POLICY)


def test_simulation_of_a_role(session: AwsSession, stub: Stubber) -> None:
    stub.add_response(
        "simulate_principal_policy",
        {
            "EvaluationResults": [
                result("s3:GetObject"),
                result(
                    "s3:PutObject",
                    "implicitDeny",
                    EvalResourceName="arn:aws:s3:::corpus",
                    MissingContextValues=["aws:SourceVpce"],
                    OrganizationsDecisionDetail={"AllowedByOrganizations": False},
                    PermissionsBoundaryDecisionDetail={"AllowedByPermissionsBoundary": True},
                ),
            ]
        },
        {
            "ActionNames": list(ASKED.actions),
            "ResourceArns": ["*"],
            "ContextEntries": CONTEXT,
            "PolicySourceArn": ROLE,
        },
    )
    found = iam.simulate_role(session, ROLE, ASKED)
    assert found is not None
    assert found == (
        iam.Simulated("s3:GetObject", "*", "allowed", (), None, None),
        iam.Simulated(
            "s3:PutObject", "arn:aws:s3:::corpus", "implicitDeny", ("aws:SourceVpce",), False, True
        ),
    )
    assert [answer.allowed for answer in found] == [True, False]


def test_a_boundary_is_simulated_for_a_role_with_every_permission(
    session: AwsSession, stub: Stubber
) -> None:
    stub.add_response(
        "simulate_custom_policy",
        {"EvaluationResults": [result("S3:GetObject"), result("s3:PutObject")]},
        {
            "ActionNames": list(ASKED.actions),
            "ResourceArns": ["*"],
            "ContextEntries": CONTEXT,
            "PolicyInputList": [iam.EVERYTHING],
            "PermissionsBoundaryPolicyInputList": ["{}"],
        },
    )
    found = iam.simulate_boundary(session, "{}", ASKED)
    assert [answer.action for answer in found] == ["S3:GetObject", "s3:PutObject"]
    assert json.loads(iam.EVERYTHING)["Statement"]["Action"] == "*"


def test_an_action_without_a_result_is_not_known(session: AwsSession, stub: Stubber) -> None:
    stub.add_response("simulate_custom_policy", {"EvaluationResults": [result("s3:GetObject")]})
    with pytest.raises(AwsUnavailable) as caught:
        iam.simulate_boundary(session, "{}", ASKED)
    assert "s3:PutObject" in caught.value.detail


def test_role_and_user_by_name(session: AwsSession, stub: Stubber) -> None:
    named = {
        "Path": "/ml/",
        "RoleName": "team",
        "RoleId": "A" * 16,
        "Arn": "arn:aws:iam::111122223333:role/ml/team",
        "CreateDate": "2026-01-01",
        "AssumeRolePolicyDocument": '{"Statement": []}',
    }
    stub.add_response("get_role", {"Role": named}, {"RoleName": "team"})
    assert iam.role(session, "team") == iam.Role(named["Arn"], '{"Statement": []}')
    user = {
        "Path": "/",
        "UserName": "ada",
        "UserId": "A" * 16,
        "Arn": "arn:aws:iam::111122223333:user/ada",
        "CreateDate": "2026-01-01",
    }
    stub.add_response("get_user", {"User": user}, {"UserName": "ada"})
    assert iam.user_arn(session, "ada") == user["Arn"]
    for operation in ("get_role", "get_user"):
        stub.add_client_error(operation, "NoSuchEntity", http_status_code=404)
    assert iam.role(session, "team") is None
    assert iam.user_arn(session, "ada") is None
