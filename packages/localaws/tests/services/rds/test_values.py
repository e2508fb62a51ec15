"""Values of requests for databases that RDS refuses, and values that it takes."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright_localaws.core.runtime import Runtime
from packages.localaws.tests.parts import client, refusal

VALUE, COMBINATION = "InvalidParameterValue", "InvalidParameterCombination"
INSTANCE = {
    "DBInstanceIdentifier": "one",
    "DBInstanceClass": "db.t4g.medium",
    "Engine": "mysql",
    "AllocatedStorage": 20,
    "MasterUsername": "chief",
    "MasterUserPassword": "not-a-real-one",
}


def refused(changes: dict[str, Any]) -> tuple[str, str]:
    merged = {**INSTANCE, **changes}
    request = {name: value for name, value in merged.items() if value is not None}
    found = refusal(client("rds").create_db_instance, **request)
    return found[0], found[1]


@pytest.mark.usefixtures("aws")
@pytest.mark.parametrize(
    ("changes", "code", "message"),
    [
        ({"AllocatedStorage": 19}, COMBINATION, "engine name mysql and storage type gp3: 19"),
        ({"AllocatedStorage": 65537}, COMBINATION, "storage type gp3: 65537"),
        ({"StorageType": "standard", "AllocatedStorage": 4}, COMBINATION, "standard: 4"),
        ({"StorageType": "io2", "Iops": 1000}, COMBINATION, "storage type io2: 20"),
        ({"Iops": 1000}, COMBINATION, "storage type io1: 20"),  # the default with Iops
        ({"Engine": "sqlserver-ex", "AllocatedStorage": 16385}, COMBINATION, "gp3: 16385"),
        ({"AllocatedStorage": None}, VALUE, "AllocatedStorage must be provided"),
        ({"StorageType": "gp9"}, VALUE, "Invalid storage type: gp9"),
        ({"StorageType": "io1", "AllocatedStorage": 100}, COMBINATION, "You must specify iops"),
        ({"AllocatedStorage": 100, "Iops": 999}, COMBINATION, "storage type io1: 999"),
        ({"AllocatedStorage": 100, "Iops": 5001}, COMBINATION, "storage type io1: 5001"),
        ({"AllocatedStorage": 3000, "Iops": 1499}, COMBINATION, "storage type io1: 1499"),
        ({"StorageType": "gp2", "Iops": 4000}, COMBINATION, "Invalid iops value for engine name"),
        ({"StorageType": "gp3", "Iops": 3000}, COMBINATION, "a storage size less than 400."),
        ({"StorageType": "gp2", "StorageThroughput": 500}, COMBINATION, "only for storage type"),
        ({"MasterUserPassword": "7 chars"}, VALUE, "is shorter than 8 characters."),
        ({"MasterUserPassword": "p" * 42}, VALUE, "is longer than 41 characters."),
        ({"MasterUserPassword": "with/slash"}, VALUE, "Only printable ASCII characters"),
        ({"MasterUserPassword": "with space"}, VALUE, "Only printable ASCII characters"),
        ({"Engine": "oracle-ee", "MasterUserPassword": "with&and"}, VALUE, "with Oracle"),
        ({"MasterUserPassword": None}, VALUE, "MasterUserPassword must be provided"),
        ({"MasterUsername": None}, VALUE, "MasterUsername must be provided"),
        ({"MasterUsername": "1st"}, VALUE, "MasterUsername is not a valid"),
        ({"MasterUsername": "a" * 17}, VALUE, "at most 16"),
        ({"Engine": "postgres", "MasterUsername": "admin"}, VALUE, "is a reserved word"),
        ({"BackupRetentionPeriod": 36}, VALUE, "36. Retention period must be between 0 and 35."),
        ({"Port": 1149}, VALUE, "from 1150 to 65535"),
        ({"Engine": "sqlserver-ex", "Port": 3389}, VALUE, "reserves it"),
        ({"PreferredBackupWindow": "25:00-26:00"}, VALUE, "Invalid backup window format"),
        ({"PreferredBackupWindow": "01:00-01:29"}, VALUE, "at least 30 minutes"),
        ({"DBName": "1db"}, VALUE, "DBName must begin with a letter"),
        ({"DBName": "with-hyphen"}, VALUE, "DBName must begin with a letter"),
        (
            {"Engine": "sqlserver-ex", "DBName": "db"},
            VALUE,
            "must be null for engine: sqlserver-ex",
        ),
        ({"EngineVersion": "8.0.1"}, COMBINATION, "Cannot find version 8.0.1 for mysql"),
        ({"EngineVersion": "5.0"}, COMBINATION, "Cannot find version 5.0 for mysql"),
        ({"EngineVersion": "new"}, COMBINATION, "Cannot find version new for mysql"),
        ({"MonitoringInterval": 7}, VALUE, "Valid values: 0, 1, 5, 10, 15, 30, 60"),
        ({"PerformanceInsightsRetentionPeriod": 94}, VALUE, "94"),
        ({"PromotionTier": 16}, VALUE, "16"),
        ({"NetworkType": "IPV6"}, VALUE, "IPV4, DUAL"),
        ({"LicenseModel": "postgresql-license"}, COMBINATION, "license model"),
        ({"EnableCloudwatchLogsExports": ["error", "upgrade"]}, COMBINATION, "'upgrade'"),
    ],
)
def test_instance_that_is_refused(changes: dict[str, Any], code: str, message: str) -> None:
    found = refused(changes)
    assert found[0] == code, found
    assert message in found[1]


@pytest.mark.usefixtures("aws")
@pytest.mark.parametrize(
    "changes",
    [
        {"StorageType": "standard", "AllocatedStorage": 5},
        {"AllocatedStorage": 100, "Iops": 5000},
        {"StorageType": "io2", "AllocatedStorage": 100, "Iops": 50_000},
        {"StorageType": "gp3", "AllocatedStorage": 400, "Iops": 12_000, "StorageThroughput": 500},
        {"Engine": "postgres", "MasterUserPassword": "p" * 128, "MasterUsername": "a" * 63},
        {"Engine": "oracle-ee", "DBName": "ORCL", "MasterUsername": "a" * 30},
        {"Engine": "postgres", "EngineVersion": "16"},
        {"EngineVersion": "8.4"},
        {"EngineVersion": "5.7.44-rds.20240418"},
        {"BackupRetentionPeriod": 0},
        {"BackupRetentionPeriod": 35},
        {"PreferredBackupWindow": "23:45-00:15"},
        {"PerformanceInsightsRetentionPeriod": 93, "EnablePerformanceInsights": True},
        {"EnableCloudwatchLogsExports": ["error", "slowquery"]},
        {"DBName": "a_1"},
    ],
)
def test_instance_that_is_created(changes: dict[str, Any]) -> None:
    client("rds").create_db_instance(**{**INSTANCE, **changes})


@pytest.mark.usefixtures("aws")
@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"MasterUserPassword": "short"}, VALUE),
        ({"BackupRetentionPeriod": 36}, VALUE),
        ({"DBPortNumber": 80}, VALUE),
        ({"AllocatedStorage": 70_000}, COMBINATION),
        ({"PreferredBackupWindow": "1-2"}, VALUE),
        ({"EngineVersion": "8.0.1"}, COMBINATION),
        ({"NewDBInstanceIdentifier": "1st"}, VALUE),
        ({"MonitoringInterval": 2}, VALUE),
        ({"DBInstanceClass": "m5.large"}, VALUE),
        ({"StorageType": "gp9"}, VALUE),
        ({"VpcSecurityGroupIds": ["sg-0123456789abcdef0"]}, VALUE),
    ],
)
def test_change_that_is_refused(changes: dict[str, Any], code: str) -> None:
    rds = client("rds")
    rds.create_db_instance(**INSTANCE)
    assert refusal(rds.modify_db_instance, DBInstanceIdentifier="one", **changes)[0] == code
    rds.modify_db_instance(DBInstanceIdentifier="one", MasterUserPassword="not-a-real-two")


@pytest.mark.usefixtures("aws")
@pytest.mark.parametrize("name", ["default", "1st", "with/slash", "a" * 256])
def test_names_of_subnet_groups(name: str) -> None:
    found = refusal(
        client("rds").create_db_subnet_group,
        DBSubnetGroupName=name,
        DBSubnetGroupDescription="d",
        SubnetIds=["subnet-0123456789abcdef0"],
    )
    assert found[0] == VALUE


@pytest.mark.usefixtures("aws")
@pytest.mark.parametrize("name", ["1st", "two--hyphens", "ends-", "a" * 256])
def test_names_of_parameter_groups(name: str) -> None:
    found = refusal(
        client("rds").create_db_parameter_group,
        DBParameterGroupName=name,
        DBParameterGroupFamily="mysql8.0",
        Description="d",
    )
    assert found[0] == VALUE


def test_a_version_that_may_be_newer_is_noted(aws: Runtime) -> None:
    said: list[str] = []
    aws.log = said.append
    client("rds").create_db_instance(**INSTANCE, EngineVersion="8.4.5")
    assert not any("version" in text for text in said)
    client("rds").create_db_instance(
        **{**INSTANCE, "DBInstanceIdentifier": "two"}, EngineVersion="9.9.9"
    )
    assert any("need not have the version" in text for text in said)
