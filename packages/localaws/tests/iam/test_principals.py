"""How a Principal or NotPrincipal element means a caller."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright_localaws.iam.policy import Statement, read_policy
from clusterwright_localaws.iam.principals import Caller, Grade, meant

ACCOUNT, OTHER = "111122223333", "444455556666"
ROOT_ARN = f"arn:aws:iam::{ACCOUNT}:root"
USER = Caller("user", ACCOUNT, f"arn:aws:iam::{ACCOUNT}:user/path/ann", unique_id="AIDAANN")
ROLE_ARN = f"arn:aws:iam::{ACCOUNT}:role/deploy"
SESSION = Caller(
    "role",
    ACCOUNT,
    f"arn:aws:sts::{ACCOUNT}:assumed-role/deploy/s1",
    role_arn=ROLE_ARN,
    unique_id="AROADEPLOY:s1",
)
ROOT = Caller("root", ACCOUNT, ROOT_ARN)
SERVICE = Caller("service", service="ec2.amazonaws.com")
NOBODY = Caller("anonymous")


def statement(effect: str = "Allow", **element: Any) -> Statement:
    body = {"Effect": effect, "Action": "s3:*", "Resource": "*", **element}
    return read_policy({"Statement": [body]}).statements[0]


@pytest.mark.parametrize(
    ("caller", "principal", "expected"),
    [
        (USER, {"AWS": USER.arn}, Grade.DIRECT),
        (USER, {"AWS": "AIDAANN"}, Grade.DIRECT),
        (USER, {"AWS": [OTHER, ACCOUNT]}, Grade.ACCOUNT),
        (USER, {"AWS": ROOT_ARN}, Grade.ACCOUNT),
        (USER, {"AWS": OTHER}, Grade.NOBODY),
        (USER, {"Federated": USER.arn}, Grade.NOBODY),
        (SESSION, {"AWS": ROLE_ARN}, Grade.ROLE),
        (SESSION, {"AWS": "AROADEPLOY"}, Grade.ROLE),
        (SESSION, {"AWS": SESSION.arn}, Grade.DIRECT),
        (SESSION, {"AWS": [ACCOUNT, ROLE_ARN, "*"]}, Grade.EVERYBODY),
        (ROOT, {"AWS": ACCOUNT}, Grade.DIRECT),
        (SERVICE, {"Service": "ec2.amazonaws.com"}, Grade.DIRECT),
        (SERVICE, {"Service": "eks.amazonaws.com"}, Grade.NOBODY),
        (SERVICE, {"AWS": "*"}, Grade.NOBODY),
        (NOBODY, "*", Grade.EVERYBODY),
        (NOBODY, {"AWS": ACCOUNT}, Grade.NOBODY),
    ],
)
def test_how_directly_a_caller_is_meant(caller: Caller, principal: Any, expected: Grade) -> None:
    assert meant(statement(Principal=principal), caller, bounded=False) is expected


def test_a_statement_without_principal_means_everybody_directly() -> None:
    assert meant(statement(), USER, bounded=False) is Grade.DIRECT


@pytest.mark.parametrize(
    ("caller", "listed", "expected"),
    [
        (USER, {"AWS": [USER.arn, ROOT_ARN]}, Grade.NOBODY),
        (USER, {"AWS": USER.arn}, Grade.EVERYBODY),
        (USER, {"AWS": [OTHER, USER.arn]}, Grade.EVERYBODY),
        (SESSION, {"AWS": [SESSION.arn, ROLE_ARN, ACCOUNT]}, Grade.NOBODY),
        (SESSION, {"AWS": [SESSION.arn, ACCOUNT]}, Grade.EVERYBODY),
        (ROOT, {"AWS": ROOT_ARN}, Grade.NOBODY),
        (SERVICE, {"Service": "ec2.amazonaws.com"}, Grade.NOBODY),
        (SERVICE, {"AWS": ACCOUNT}, Grade.EVERYBODY),
        (USER, {"AWS": "*"}, Grade.NOBODY),
        (USER, "*", Grade.NOBODY),
    ],
)
def test_not_principal_exempts_whoever_is_listed_in_full(
    caller: Caller, listed: Any, expected: Grade
) -> None:
    assert meant(statement("Deny", NotPrincipal=listed), caller, bounded=False) is expected


def test_a_deny_by_not_principal_always_means_a_bounded_caller() -> None:
    listed = {"AWS": [USER.arn, ROOT_ARN]}
    assert meant(statement("Deny", NotPrincipal=listed), USER, bounded=True) is Grade.DIRECT


def test_a_sessions_principal_is_its_role() -> None:
    assert SESSION.principal_arn == ROLE_ARN
    assert (USER.principal_arn, USER.name) == (USER.arn, "ann")
