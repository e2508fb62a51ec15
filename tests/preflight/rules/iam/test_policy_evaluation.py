"""Evaluation of policy documents: allowed, denied, or unknown."""

from __future__ import annotations

import json
from typing import Any

import pytest

from clusterwright.preflight.rules.iam.policy_evaluation import PolicyRequest, allowed, denied
from clusterwright_localaws.testing import (
    Caller,
    Policies,
    Request,
    RequestContext,
    evaluate,
    read_policy,
)

ACCOUNT = "111122223333"
ROLE = f"arn:aws:iam::{ACCOUNT}:role/reader"
ASK = PolicyRequest(
    "s3:GetObject",
    "arn:aws:s3:::corpus/tokens/1",
    ACCOUNT,
    ROLE,
    context={"aws:PrincipalArn": ROLE, "aws:SecureTransport": "true", "aws:SourceVpc": None},
)


def document(**changes: Any) -> str:
    statement = {"Effect": "Deny", "Principal": "*", "Action": "s3:*", "Resource": "*", **changes}
    return json.dumps({"Statement": {k: v for k, v in statement.items() if v is not None}})


@pytest.mark.parametrize(
    ("changes", "answer"),
    [
        ({}, "yes"),
        ({"Action": "s3:getobject"}, "yes"),
        ({"Action": ["s3:Put*", "s3:List?ucket"]}, "no"),
        ({"Action": None, "NotAction": "s3:GetObject"}, "no"),
        ({"Action": None, "NotAction": "s3:PutObject"}, "yes"),
        ({"Resource": "arn:aws:s3:::corpus"}, "no"),
        ({"Resource": "arn:aws:s3:::corpus/*"}, "yes"),
        ({"Resource": None, "NotResource": "arn:aws:s3:::corpus/*"}, "no"),
        ({"Principal": {"AWS": "*"}}, "yes"),
        ({"Principal": {"AWS": ROLE}}, "yes"),
        ({"Principal": {"AWS": f"{ROLE}s"}}, "no"),
        ({"Principal": {"AWS": f"arn:aws:iam::{ACCOUNT}:root"}}, "yes"),
        ({"Principal": {"AWS": "999988887777"}}, "no"),
        ({"Principal": {"Service": "logs.us-east-1.amazonaws.com"}}, "no"),
        ({"Principal": None, "NotPrincipal": {"AWS": ROLE}}, "no"),
        ({"Principal": None, "NotPrincipal": {"AWS": "arn:aws:iam::1:role/x"}}, "yes"),
        ({"Condition": {"Bool": {"aws:SecureTransport": "false"}}}, "no"),
        ({"Condition": {"Bool": {"aws:securetransport": False}}}, "no"),
        ({"Condition": {"StringNotEquals": {"aws:SourceVpc": "vpc-1"}}}, "yes"),
        ({"Condition": {"StringEquals": {"aws:SourceVpc": "vpc-1"}}}, "no"),
        ({"Condition": {"StringEqualsIfExists": {"aws:SourceVpc": "vpc-1"}}}, "yes"),
        ({"Condition": {"Null": {"aws:SourceVpc": "true"}}}, "yes"),
        ({"Condition": {"StringNotEquals": {"aws:SourceVpce": "vpce-1"}}}, "unknown"),
        ({"Condition": {"ArnNotLike": {"aws:PrincipalArn": "arn:aws:iam::*:role/w*"}}}, "yes"),
        ({"Condition": {"ArnNotLike": {"aws:PrincipalArn": "arn:aws:iam::*:role/r*"}}}, "no"),
        ({"Condition": {"IpAddress": {"aws:SourceIp": "10.0.0.0/8"}}}, "unknown"),
        ({"Condition": {"StringLike": {"aws:PrincipalArn": "${aws:userid}"}}}, "unknown"),
        (
            {
                "Condition": {
                    "Bool": {"aws:SecureTransport": "false"},
                    "IpAddress": {"aws:SourceIp": "10.0.0.0/8"},
                }
            },
            "no",
        ),
    ],
)
def test_statement_match_is_evaluated(changes: dict[str, Any], answer: str) -> None:
    assert denied(document(**changes), ASK) == answer


def test_account_permission_is_not_role_permission() -> None:
    text = document(Effect="Allow", Principal={"AWS": f"arn:aws:iam::{ACCOUNT}:root"})
    assert allowed(text, ASK) == "no"
    handed_on = PolicyRequest("s3:GetObject", "*", ACCOUNT, of_the_account=True)
    assert allowed(text, handed_on) == "yes"


def test_possible_deny_is_unknown() -> None:
    maybe = {"StringNotEquals": {"aws:SourceVpce": "vpce-1"}}
    both = [
        {"Effect": "Allow", "Principal": "*", "Action": "*", "Resource": "*"},
        {"Effect": "Deny", "Principal": "*", "Action": "*", "Resource": "*", "Condition": maybe},
    ]
    assert allowed(json.dumps({"Statement": both}), ASK) == "unknown"
    assert allowed(json.dumps({"Statement": both[:1]}), ASK) == "yes"


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"Statement": 1}', "null", '{"Statement": [[]]}']
)
def test_unreadable_policy_is_unknown(text: str) -> None:
    assert denied(text, ASK) == "unknown"
    assert allowed(text, ASK) == "unknown"


@pytest.mark.parametrize("effect", ["Allow", "Deny"])
@pytest.mark.parametrize(
    "principal", ["*", {"AWS": ROLE}, {"AWS": f"arn:aws:iam::{ACCOUNT}:root"}]
)
@pytest.mark.parametrize(
    "condition",
    [
        {},
        {"StringNotEqualsIfExists": {"aws:SourceVpc": "vpc-1"}},
        {"ForAllValues:StringEquals": {"aws:SourceVpc": "vpc-1"}},
        {"ForAnyValue:StringEquals": {"aws:SourceVpc": "vpc-1"}},
        {"ArnEquals": {"aws:PrincipalArn": f"{ROLE[:-2]}??"}},
        {"StringEqualsIgnoreCase": {"aws:PrincipalArn": ROLE.upper()}},
        {"Null": {"aws:PrincipalArn": "true"}},
    ],
)
def test_local_aws_agrees(effect: str, principal: Any, condition: dict[str, Any]) -> None:
    text = document(Effect=effect, Principal=principal, Condition=condition)
    policy = read_policy(text, name="corpus", kind="resource")
    caller = Caller("role", ACCOUNT, ROLE, ROLE)
    context = {"aws:PrincipalArn": (ROLE,), "aws:SecureTransport": ("true",)}
    asked = Request(caller, ASK.action, ASK.resource, RequestContext(context))
    decision = evaluate(asked, Policies(resource=policy))
    if effect == "Deny":
        assert (denied(text, ASK) == "yes") == (decision.outcome == "explicitDeny")
    else:
        assert (allowed(text, ASK) == "yes") == decision.allowed
