"""Tests of services.rds.subnets."""

from __future__ import annotations

import pytest

from packages.localaws.tests.parts import client, refusal


@pytest.mark.usefixtures("aws")
def test_a_group_of_subnets_that_do_not_exist() -> None:
    rds = client("rds")
    group = {"DBSubnetGroupName": "g", "SubnetIds": ["subnet-0123456789abcdef0"]}
    refused = ("InvalidSubnet", "Some input subnets in :[subnet-0123456789abcdef0] are invalid.")
    assert refusal(rds.create_db_subnet_group, **group, DBSubnetGroupDescription="d") == refused
    subnets = client("ec2").describe_subnets()["Subnets"][:2]
    there = [subnet["SubnetId"] for subnet in subnets]
    rds.create_db_subnet_group(
        DBSubnetGroupName="g", DBSubnetGroupDescription="d", SubnetIds=there
    )
    assert refusal(rds.modify_db_subnet_group, **group) == refused
