"""Tests of services.ec2.fixes.acl_entries."""

from __future__ import annotations

import pytest

from packages.localaws.tests.parts import client


@pytest.mark.usefixtures("aws")
def test_new_network_acl_denies_everything() -> None:
    ec2 = client("ec2")
    vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
    entries = ec2.create_network_acl(VpcId=vpc)["NetworkAcl"]["Entries"]
    assert [(one["RuleNumber"], one["RuleAction"]) for one in entries] == [(32767, "deny")] * 2
    assert {one["Egress"] for one in entries} == {True, False}
    asked = [{"Name": "default", "Values": ["true"]}, {"Name": "vpc-id", "Values": [vpc]}]
    (default,) = ec2.describe_network_acls(Filters=asked)["NetworkAcls"]
    assert len(default["Entries"]) == 4
