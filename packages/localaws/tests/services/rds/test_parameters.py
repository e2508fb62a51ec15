"""Tests of services.rds.parameters."""

from __future__ import annotations

import pytest

from packages.localaws.tests.parts import client, refusal


@pytest.mark.usefixtures("aws")
class TestAdded:
    def test_database_parameter_is_reset(self) -> None:
        rds = client("rds")
        rds.create_db_parameter_group(
            DBParameterGroupName="p", DBParameterGroupFamily="mysql8.0", Description="d"
        )
        rds.modify_db_parameter_group(
            DBParameterGroupName="p",
            Parameters=[
                {"ParameterName": name, "ParameterValue": "1", "ApplyMethod": "pending-reboot"}
                for name in ("a", "b")
            ],
        )

        def names() -> list[str]:
            found = rds.describe_db_parameters(DBParameterGroupName="p")["Parameters"]
            return [item["ParameterName"] for item in found]

        assert names() == ["a", "b"]
        item = {"ParameterName": "a", "ApplyMethod": "pending-reboot"}
        rds.reset_db_parameter_group(DBParameterGroupName="p", Parameters=[item])
        assert names() == ["b"]
        rds.reset_db_parameter_group(DBParameterGroupName="p", ResetAllParameters=True)
        assert names() == []
        code, _ = refusal(rds.reset_db_parameter_group, DBParameterGroupName="q")
        assert code == "DBParameterGroupNotFound"
