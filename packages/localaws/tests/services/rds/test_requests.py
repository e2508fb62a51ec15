"""Tests of services.rds.requests."""

from __future__ import annotations

from typing import Any

import pytest

from packages.localaws.tests.parts import client, refusal

pytestmark = pytest.mark.usefixtures("aws")

INSTANCE = {
    "DBInstanceIdentifier": "one",
    "DBInstanceClass": "db.t3.micro",
    "Engine": "mysql",
    "AllocatedStorage": 20,
    "MasterUsername": "admin",
    "ManageMasterUserPassword": True,
}


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"DBInstanceClass": "db.large"}, "InvalidParameterValue"),
        ({"DBInstanceClass": "m5.large"}, "InvalidParameterValue"),
        ({"MasterUserPassword": "not-a-real-one"}, "InvalidParameterCombination"),
    ],
)
def test_instance_that_is_refused(changes: dict[str, Any], code: str) -> None:
    assert refusal(client("rds").create_db_instance, **{**INSTANCE, **changes})[0] == code


@pytest.mark.parametrize(
    "family",
    [
        "mysql8.0",
        "mariadb11.4",
        "postgres17",
        "aurora-mysql8.0",
        "aurora-postgresql16",
        "mysql8.4",
    ],
)
def test_family_of_parameters(family: str) -> None:
    create = client("rds").create_db_parameter_group
    more = {"DBParameterGroupName": "one", "Description": "d"}
    assert refusal(create, DBParameterGroupFamily=f"x{family}", **more)[0] == (
        "InvalidParameterValue"
    )
    create(DBParameterGroupFamily=family, **more)


def test_instance_that_does_not_exist_has_no_tags() -> None:
    arn = "arn:aws:rds:us-east-1:123456789012:db:none"
    found = refusal(client("rds").list_tags_for_resource, ResourceName=arn)
    assert found[0] == "DBInstanceNotFound"
