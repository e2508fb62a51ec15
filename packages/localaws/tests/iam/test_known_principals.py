"""Tests of iam.known_principals."""

from __future__ import annotations

import json
from typing import Any

import pytest

from clusterwright_localaws.iam.known_principals import unknown_principal
from clusterwright_localaws.iam.policy import read_policy
from packages.localaws.tests.parts import client

ACCOUNT = "123456789012"
OWN = f"arn:aws:iam::{ACCOUNT}"


def unknown(principal: Any, element: str = "Principal") -> tuple[str, str] | None:
    statement = {"Effect": "Allow", element: principal, "Action": "*", "Resource": "*"}
    return unknown_principal(read_policy(json.dumps({"Statement": statement})), ACCOUNT)


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("AWS", "*"),
        ("AWS", "999988887777"),
        ("AWS", "arn:aws:iam::999988887777:root"),
        ("AWS", "arn:aws-cn:iam::123456789012:root"),
        ("AWS", "arn:aws:iam::999988887777:role/path/role"),
        ("AWS", f"arn:aws:sts::{ACCOUNT}:assumed-role/role/session"),
        ("AWS", "arn:aws:iam::cloudfront:user/CloudFront Origin Access Identity E1"),
        ("Service", "ec2.amazonaws.com"),
        ("Service", "logs.us-east-1.amazonaws.com"),
        ("Service", "ec2.amazonaws.com.cn"),
        ("Service", "alexa-appkit.amazon.com"),
        ("Federated", "cognito-identity.amazonaws.com"),
        ("Federated", f"{OWN}:oidc-provider/oidc.eks.us-east-1.amazonaws.com/id/A"),
        ("CanonicalUser", "anything"),
    ],
)
@pytest.mark.usefixtures("aws")
def test_what_aws_takes(kind: str, value: str) -> None:
    assert unknown({kind: [value]}) is None


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("AWS", "12345678901"),
        ("AWS", "ec2.amazonaws.com"),
        ("AWS", f"{OWN}:role/none"),
        ("AWS", f"{OWN}:user/none"),
        ("AWS", f"{OWN}:group/some"),
        ("AWS", "arn:aws:iam::999988887777:*"),
        ("AWS", "arn:aws:iam::999988887777:role/*"),
        ("AWS", "AROAABCDEFGHIJKLMNOPQ"),
        ("Service", "ec2"),
        ("Federated", "google"),
    ],
)
@pytest.mark.usefixtures("aws")
def test_what_aws_does_not_take(kind: str, value: str) -> None:
    assert unknown({kind: value}) == (kind, value)
    assert unknown({kind: value}, "NotPrincipal") == (kind, value)


@pytest.mark.usefixtures("aws")
def test_caller_whose_key_iam_has_not_issued() -> None:
    assert unknown({"AWS": client("sts").get_caller_identity()["Arn"]}) is None


@pytest.mark.usefixtures("aws")
def test_users_and_roles_of_the_account() -> None:
    iam = client("iam")
    user = iam.create_user(UserName="u", Path="/team/")["User"]
    assert unknown({"AWS": [user["Arn"], user["UserId"]]}) is None
    assert unknown({"AWS": f"{OWN}:user/u"}) == ("AWS", f"{OWN}:user/u")  # without its path
    iam.delete_user(UserName="u")
    assert unknown({"AWS": user["UserId"]}) == ("AWS", user["UserId"])
