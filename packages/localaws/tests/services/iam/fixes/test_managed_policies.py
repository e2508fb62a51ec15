"""Tests of services.iam.fixes.managed_policies."""

from __future__ import annotations

import pytest

from clusterwright_localaws import local_aws
from packages.localaws.tests.parts import client, refusal


@pytest.mark.usefixtures("aws")
class TestManagedPolicies:
    def test_aws_managed_policies_exist(self) -> None:
        iam = client("iam")
        found = iam.get_policy(PolicyArn="arn:aws:iam::aws:policy/AdministratorAccess")
        assert found["Policy"]["PolicyName"] == "AdministratorAccess"
        assert iam.list_policies(Scope="Local")["Policies"] == []
        code, _ = refusal(iam.get_policy, PolicyArn="arn:aws:iam::aws:policy/NoSuchThing")
        assert code == "NoSuchEntity"


def test_moto_is_unchanged_without_a_local_aws() -> None:
    """Fixes stay applied in the process; without a local AWS they have no effect."""
    import moto

    with local_aws():
        client("iam").list_policies()
    with moto.mock_aws():
        code, _ = refusal(
            client("iam").get_policy, PolicyArn="arn:aws:iam::aws:policy/AdministratorAccess"
        )
        assert code == "NoSuchEntity"
