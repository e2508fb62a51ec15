"""Changes of a database that RDS refuses."""

from __future__ import annotations

from typing import Any

import pytest

from packages.localaws.tests.parts import client, refusal

pytestmark = pytest.mark.usefixtures("local")


@pytest.fixture
def rds() -> Any:
    found = client("rds")
    found.create_db_instance(
        DBInstanceIdentifier="db",
        DBInstanceClass="db.t3.large",
        Engine="mariadb",
        EngineVersion="10.11.6",
        AllocatedStorage=100,
        MasterUsername="slurm",
        MasterUserPassword="password1",
    )
    found.get_waiter("db_instance_available").wait(
        DBInstanceIdentifier="db", WaiterConfig={"Delay": 0}
    )
    return found


@pytest.mark.parametrize(
    "change",
    [
        {"AllocatedStorage": 50},
        {"EngineVersion": "10.11.5"},
        {"EngineVersion": "11.4.3"},
    ],
)
def test_change_is_refused(change: dict[str, Any], rds: Any) -> None:
    code, _ = refusal(rds.modify_db_instance, DBInstanceIdentifier="db", **change)
    assert code == "InvalidParameterCombination"


@pytest.mark.parametrize(
    "change",
    [
        {"AllocatedStorage": 200},
        {"EngineVersion": "10.11.8"},
        {"EngineVersion": "11.4.3", "AllowMajorVersionUpgrade": True},
    ],
)
def test_change_is_accepted(change: dict[str, Any], rds: Any) -> None:
    rds.modify_db_instance(DBInstanceIdentifier="db", ApplyImmediately=True, **change)
    (found,) = rds.describe_db_instances()["DBInstances"]
    for name in change.keys() - {"AllowMajorVersionUpgrade"}:
        pending = found.get("PendingModifiedValues", {})
        assert change[name] in (found[name], pending.get(name))
