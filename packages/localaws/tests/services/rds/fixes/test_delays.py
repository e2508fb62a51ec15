"""Tests of services.rds.fixes.delays."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from botocore.exceptions import ClientError

from clusterwright_localaws import local_aws
from clusterwright_localaws.core.runtime import Runtime
from packages.localaws.tests.cloudformation.stacks import (
    aws,
)

SLOW = {"database": 60, "nat_gateway": 60, "endpoint": 60, "workspace": 60}


DB = {
    "DBInstanceIdentifier": "db",
    "DBInstanceClass": "db.t4g.medium",
    "Engine": "mysql",
    "AllocatedStorage": 20,
    "MasterUsername": "slurm",
    "MasterUserPassword": "not-a-secret-1",
}


@pytest.fixture
def slow() -> Iterator[Runtime]:
    with local_aws(delays=SLOW) as runtime:
        yield runtime


def refusal(call: Callable[..., Any], **parameters: Any) -> tuple[str, str]:
    with pytest.raises(ClientError) as caught:
        call(**parameters)
    error = caught.value.response["Error"]
    return error["Code"], error["Message"]


class TestDatabases:
    def state(self) -> str:
        found = aws("rds").describe_db_instances(DBInstanceIdentifier="db")["DBInstances"]
        return str(found[0]["DBInstanceStatus"])

    def test_instance_is_created_modified_and_deleted(self, slow: Runtime) -> None:
        rds = aws("rds")
        made = rds.create_db_instance(**DB)["DBInstance"]
        assert made["DBInstanceStatus"] == self.state() == "creating"
        slow.clock.advance(61)
        assert self.state() == "available"
        rds.modify_db_instance(DBInstanceIdentifier="db", AllocatedStorage=30)
        assert self.state() == "modifying"
        slow.clock.advance(61)
        assert self.state() == "available"
        rds.delete_db_instance(DBInstanceIdentifier="db", SkipFinalSnapshot=True)
        assert self.state() == "deleting"
        slow.clock.advance(61)
        assert rds.describe_db_instances()["DBInstances"] == []

    def test_changes_are_refused_in_transitional_states(self, slow: Runtime) -> None:
        rds = aws("rds")
        rds.create_db_instance(**DB)
        changed = {"DBInstanceIdentifier": "db", "AllocatedStorage": 30}
        assert refusal(rds.modify_db_instance, **changed) == (
            "InvalidDBInstanceState",
            "Database instance is not in available state.",
        )
        code, message = refusal(
            rds.delete_db_instance,
            DBInstanceIdentifier="db",
            FinalDBSnapshotIdentifier="last",
        )
        assert code == "InvalidDBInstanceState"
        assert "is not currently in the available state" in message
        rds.delete_db_instance(DBInstanceIdentifier="db", SkipFinalSnapshot=True)
        again = refusal(rds.delete_db_instance, DBInstanceIdentifier="db", SkipFinalSnapshot=True)
        assert again == ("InvalidDBInstanceState", "Instance db is already being deleted.")

    def test_states_appear_only_in_answers_without_delays(self) -> None:
        with local_aws():
            made = aws("rds").create_db_instance(**DB)["DBInstance"]
            assert made["DBInstanceStatus"] == "creating"
            assert self.state() == "available"

    def test_waiter_of_boto3_waits(self) -> None:
        with local_aws(delays={"database": 0.3}):
            rds = aws("rds")
            rds.create_db_instance(**DB)
            waiter = rds.get_waiter("db_instance_available")
            waiter.wait(DBInstanceIdentifier="db", WaiterConfig={"Delay": 1, "MaxAttempts": 3})
            assert self.state() == "available"
