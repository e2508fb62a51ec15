"""Tests of services.rds.fixes.parameter_groups."""

from __future__ import annotations

import pytest

from packages.localaws.tests.parts import client, refusal


@pytest.mark.usefixtures("aws")
def test_a_group_that_does_not_exist_is_not_listed() -> None:
    rds = client("rds")
    found = refusal(rds.describe_db_parameter_groups, DBParameterGroupName="none")
    assert found == ("DBParameterGroupNotFound", "DBParameterGroup not found: none")
    rds.create_db_parameter_group(
        DBParameterGroupName="mine", DBParameterGroupFamily="mysql8.0", Description="d"
    )
    listed = rds.describe_db_parameter_groups(DBParameterGroupName="mine")["DBParameterGroups"]
    assert [group["DBParameterGroupName"] for group in listed] == ["mine"]
