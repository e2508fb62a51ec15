"""Databases of a template, with their subnets and parameters."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright_localaws.cloudformation.handler import HandlerFailure
from clusterwright_localaws.cloudformation.handler_helpers import ready
from clusterwright_localaws.services.rds.cfn import (
    DBInstance,
    DBParameterGroup,
    DBSubnetGroup,
    _log_exports,
    _modified,
    _numbers,
)
from packages.localaws.tests.handlers import context, tags
from packages.localaws.tests.parts import client, refusal

pytestmark = pytest.mark.usefixtures("local")

DATABASE: dict[str, Any] = {
    "DBInstanceIdentifier": "DB",
    "DBInstanceClass": "db.t4g.medium",
    "Engine": "mysql",
    "AllocatedStorage": "20",
    "MasterUsername": "slurm",
    "MasterUserPassword": "not-a-secret-1",
}


def described(name: str = "db") -> dict[str, Any]:
    found = client("rds").describe_db_instances(DBInstanceIdentifier=name)["DBInstances"][0]
    return dict(found)


class TestInstance:
    def test_created_changed_and_deleted(self) -> None:
        rds = client("rds")
        before = {**DATABASE, "Tags": tags(a="1")}
        created = DBInstance().create(context(), before)
        assert created.physical_id == "db"
        assert created.attributes["Endpoint.Port"] == "3306"
        assert created.attributes["DBInstanceArn"].endswith(":db:db")
        assert "MasterUserSecret.SecretArn" not in created.attributes
        after = {**DATABASE, "AllocatedStorage": "40", "Tags": tags(b="2")}
        DBInstance().update(context(), "db", before, after)
        found = described()
        assert (found["AllocatedStorage"], found["TagList"]) == (40, tags(b="2"))
        DBInstance().delete(context(), "db", after)
        code, _ = refusal(rds.describe_db_instances, DBInstanceIdentifier="db")
        assert code == "DBInstanceNotFound"

    def test_deleted_with_a_last_snapshot(self) -> None:
        DBInstance().create(context(), DATABASE)
        DBInstance().delete(context(take_snapshot=True), "db", DATABASE)
        (found,) = client("rds").describe_db_snapshots()["DBSnapshots"]
        assert found["DBSnapshotIdentifier"] == "stack-snapshot-db-abcdefghijkl"

    def test_a_snapshot_is_possible_and_the_engine_is_not_changed(self) -> None:
        assert DBInstance().snapshot_refusal({}) is None
        assert DBInstance().replacing({"Engine": "a"}, {"Engine": "b"}) == {"Engine"}
        assert DBInstance().replacing({"Engine": "a"}, {"Engine": "a", "Port": "1"}) == set()


def test_a_subnet_group_spans_two_zones() -> None:
    ec2, rds = client("ec2"), client("rds")
    vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
    subnets = [
        ec2.create_subnet(
            VpcId=vpc, CidrBlock=f"10.0.{number}.0/24", AvailabilityZone=f"us-east-1{zone}"
        )["Subnet"]["SubnetId"]
        for number, zone in enumerate("ab")
    ]
    before = {
        "DBSubnetGroupName": "G",
        "DBSubnetGroupDescription": "one",
        "SubnetIds": subnets,
        "Tags": tags(a="1"),
    }
    created = DBSubnetGroup().create(context(), before)
    arn = created.attributes["DBSubnetGroupArn"]
    assert created.physical_id == "g"
    after = {**before, "DBSubnetGroupDescription": "two", "Tags": tags(b="2")}
    DBSubnetGroup().update(context(), "g", before, after)
    (found,) = rds.describe_db_subnet_groups(DBSubnetGroupName="g")["DBSubnetGroups"]
    assert found["DBSubnetGroupDescription"] == "two"
    assert rds.list_tags_for_resource(ResourceName=arn)["TagList"] == tags(b="2")
    DBSubnetGroup().delete(context(), "g", after)
    code, _ = refusal(rds.describe_db_subnet_groups, DBSubnetGroupName="g")
    assert code == "DBSubnetGroupNotFoundFault"


def test_parameters_are_set_and_reset() -> None:
    rds = client("rds")
    before = {
        "Family": "mysql8.0",
        "Description": "d",
        "Parameters": {"max_connections": 100, "innodb_lock_wait_timeout": 900},
    }
    name = DBParameterGroup().create(context(), before).physical_id

    def parameters() -> dict[str, str]:
        found = rds.describe_db_parameters(DBParameterGroupName=name)["Parameters"]
        return {each["ParameterName"]: each["ParameterValue"] for each in found}

    assert parameters() == {"max_connections": "100", "innodb_lock_wait_timeout": "900"}
    after = {**before, "Parameters": {"max_connections": 200}}
    DBParameterGroup().update(context(), name, before, after)
    assert parameters()["max_connections"] == "200"
    DBParameterGroup().delete(context(), name, after)
    code, _ = refusal(rds.describe_db_parameters, DBParameterGroupName=name)
    assert code == "DBParameterGroupNotFound"


def test_only_differences_are_sent() -> None:
    old = {"A": 1, "B": 1, "P": 1, "Engine": "x"}
    new = {"A": 1, "B": 2, "P": 2, "Engine": "y"}
    assert _modified(old, new, ("A", "B"), {"P": "DBPortNumber"}) == {"B": 2, "DBPortNumber": 2}


def test_logs_to_enable_and_to_disable() -> None:
    key = "EnableCloudwatchLogsExports"
    assert _log_exports({key: ["error", "audit"]}, {key: ["audit", "general"]}) == {
        "CloudwatchLogsExportConfiguration": {
            "EnableLogTypes": ["general"],
            "DisableLogTypes": ["error"],
        }
    }
    assert _log_exports({key: ["error"]}, {key: ["error"]}) == {}


def test_numbers_of_the_schema_are_text() -> None:
    assert _numbers({"AllocatedStorage": "20", "Port": "3306", "Iops": 5}) == {
        "AllocatedStorage": 20,
        "Port": 3306,
        "Iops": 5,
    }


def test_statuses() -> None:
    def wait(*statuses: str) -> str:
        left = iter(statuses)
        found = ready(
            context(), lambda: {"status": next(left)}, "the instance db", wanted="available"
        )
        assert next(left, None) is None
        return str(found["status"])

    assert wait("available") == "available"
    assert wait("creating", "available") == "available"
    with pytest.raises(HandlerFailure, match="db is storage-full"):
        wait("storage-full")
