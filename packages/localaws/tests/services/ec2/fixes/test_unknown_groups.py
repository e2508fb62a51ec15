"""Tests of services.ec2.fixes.unknown_groups."""

from __future__ import annotations

import pytest

from packages.localaws.tests.parts import client, refusal


@pytest.mark.usefixtures("aws")
def test_message_names_the_group() -> None:
    found = refusal(client("ec2").describe_security_groups, GroupIds=["sg-0123456789abcdef0"])
    assert "The security group 'sg-0123456789abcdef0' does not exist" in str(found)
