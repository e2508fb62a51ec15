"""Tests of CW-I018."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.aws.iam import Role
from clusterwright.preflight.facts.references import NamedRole, NamedUser
from tests.preflight.harness import Harness
from tests.preflight.rules.support.kubernetes import EKS, HYPERPOD
from tests.support import specs

HERE = "kubernetes.access[0].principal_arn"
TRUST = '{"Statement": []}'


def entry(arn: str, base: dict[str, Any] = EKS) -> dict[str, Any]:
    return {**base, "kubernetes": {"access": [{"principal_arn": arn, "policy": "view"}]}}


@pytest.mark.parametrize("base", [EKS, HYPERPOD], ids=["eks", "hyperpod-eks"])
def test_role_of_an_access_entry_exists(rule: Harness, base: dict[str, Any]) -> None:
    arn = f"arn:aws:iam::{specs.ACCOUNT}:role/research/team"
    fact = NamedRole("team")
    rule.passes("CW-I018", entry(arn, base), {fact: Role(arn, TRUST)})
    rule.passes("CW-I018", base, tested=False)
    rule.fails(
        "CW-I018", entry(arn, base), {fact: None}, path=HERE,
        message=f"the role team does not exist in {specs.ACCOUNT}",
    )  # fmt: skip


def test_path_is_part_of_the_arn(rule: Harness) -> None:
    real = (
        f"arn:aws:iam::{specs.ACCOUNT}:role/aws-reserved/sso.amazonaws.com/AWSReservedSSO_ml_0a1b"
    )
    short = f"arn:aws:iam::{specs.ACCOUNT}:role/AWSReservedSSO_ml_0a1b"
    finding = rule.fails(
        "CW-I018", entry(short), {NamedRole("AWSReservedSSO_ml_0a1b"): Role(real, TRUST)},
        path=HERE, message=f"is {real}: its path is different",
    )  # fmt: skip
    assert finding.hint == f"principal_arn: {real}"


def test_user_of_an_access_entry_exists(rule: Harness) -> None:
    arn = f"arn:aws:iam::{specs.ACCOUNT}:user/ada"
    rule.passes("CW-I018", entry(arn), {NamedUser("ada"): arn})
    rule.fails("CW-I018", entry(arn), {NamedUser("ada"): None}, path=HERE,
               message="the user ada does not exist")  # fmt: skip


def test_principal_of_another_account_cannot_be_read(rule: Harness) -> None:
    rule.fails("CW-I018", entry("arn:aws:iam::444455556666:role/team"), path=HERE,
               message="is in another account", severity="info")  # fmt: skip
