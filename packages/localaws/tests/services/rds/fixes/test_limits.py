"""Quotas of databases, storage and their groups."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright_localaws import local_aws
from packages.localaws.tests.parts import client, refusal


def instance(name: str, storage_gb: int = 20) -> dict[str, Any]:
    return {
        "DBInstanceIdentifier": name,
        "DBInstanceClass": "db.t4g.medium",
        "Engine": "mysql",
        "AllocatedStorage": storage_gb,
        "MasterUsername": "slurm",
        "MasterUserPassword": "not-a-secret-1",
    }


@pytest.mark.parametrize(
    ("quota", "value", "code", "kind"),
    [
        ("rds/L-7B6409FD", 1, "InstanceQuotaExceeded", "DB instances"),
        ("rds/L-7ADDB58A", 30, "StorageQuotaExceeded", "storage"),
    ],
)
def test_a_second_database_is_over_the_quota(quota: str, value: int, code: str, kind: str) -> None:
    with local_aws(quotas={quota: value}):
        rds = client("rds")
        rds.create_db_instance(**instance("a"))
        assert refusal(rds.create_db_instance, **instance("b")) == (
            code,
            f"The quota for {kind} ({value}) is exceeded.",
        )


def test_storage_is_counted_in_gigabytes() -> None:
    with local_aws(quotas={"rds/L-7ADDB58A": 50}):
        rds = client("rds")
        rds.create_db_instance(**instance("a", 20))
        rds.create_db_instance(**instance("b", 30))
        assert refusal(rds.create_db_instance, **instance("c"))[0] == "StorageQuotaExceeded"


def test_parameter_groups_are_counted() -> None:
    with local_aws(quotas={"rds/L-DE55804A": 1}):
        rds = client("rds")
        request = {"DBParameterGroupFamily": "mysql8.0", "Description": "d"}
        rds.create_db_parameter_group(DBParameterGroupName="a", **request)
        assert refusal(rds.create_db_parameter_group, DBParameterGroupName="b", **request) == (
            "DBParameterGroupQuotaExceeded",
            "The quota for DB parameter groups (1) is exceeded.",
        )
