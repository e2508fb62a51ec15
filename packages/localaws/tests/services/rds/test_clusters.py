"""Requests for database clusters that RDS refuses."""

from __future__ import annotations

from typing import Any

import pytest

from packages.localaws.tests.parts import client, refusal

pytestmark = pytest.mark.usefixtures("aws")

VALUE, COMBINATION = "InvalidParameterValue", "InvalidParameterCombination"
CLUSTER = {
    "DBClusterIdentifier": "one",
    "Engine": "aurora-postgresql",
    "MasterUsername": "chief",
    "MasterUserPassword": "not-a-real-one",
}
MULTI_AZ = {"Engine": "mysql", "DBClusterInstanceClass": "db.m6gd.large", "AllocatedStorage": 100}


@pytest.mark.parametrize(
    ("changes", "code", "message"),
    [
        ({"DBClusterIdentifier": "1st"}, VALUE, "DBClusterIdentifier is not a valid identifier"),
        ({**MULTI_AZ, "DBClusterIdentifier": "a" * 53}, VALUE, "not a valid identifier"),
        ({"MasterUserPassword": "p" * 42}, VALUE, "longer than 41"),
        ({"MasterUserPassword": "with@at-sign"}, VALUE, "Only printable ASCII"),
        ({"MasterUsername": "a" * 17}, VALUE, "at most 16"),
        ({"ManageMasterUserPassword": True}, COMBINATION, "ManageMasterUserPassword"),
        ({"BackupRetentionPeriod": 0}, VALUE, "0. Retention period must be between 1 and 35."),
        ({"Port": 80}, VALUE, "from 1150 to 65535"),
        ({"PreferredBackupWindow": "1-2"}, VALUE, "Invalid backup window format"),
        ({"PreferredMaintenanceWindow": "mon"}, VALUE, "Invalid maintenance window format"),
        (
            {
                "PreferredBackupWindow": "01:00-02:00",
                "PreferredMaintenanceWindow": "Mon:01:30-Mon:02:30",
            },
            VALUE,
            "must not overlap",
        ),
        ({"StorageType": "gp3"}, VALUE, "Invalid storage type: gp3"),
        ({**MULTI_AZ, "StorageType": "aurora"}, VALUE, "Invalid storage type: aurora"),
        ({"EngineVersion": "12.1"}, COMBINATION, "Cannot find version 12.1"),
        ({"EnableCloudwatchLogsExports": ["audit"]}, COMBINATION, "audit"),
        ({"DatabaseName": "a" * 65}, VALUE, "64 characters"),
        ({"AvailabilityZones": [f"us-east-1{zone}" for zone in "abcd"]}, VALUE, "three"),
        ({"AvailabilityZones": ["us-west-2a"]}, VALUE, "us-west-2a"),
        ({**MULTI_AZ, "DBClusterInstanceClass": None}, VALUE, "DBClusterInstanceClass"),
        ({**MULTI_AZ, "AllocatedStorage": None}, VALUE, "AllocatedStorage"),
        ({"DBSubnetGroupName": "none"}, "DBSubnetGroupNotFoundFault", "none"),
        ({"DBClusterParameterGroupName": "none"}, "DBClusterParameterGroupNotFound", "none"),
        ({"VpcSecurityGroupIds": ["sg-0123456789abcdef0"]}, VALUE, "Invalid security group"),
        ({"KmsKeyId": "none"}, "KMSKeyNotAccessibleFault", "none"),
        (
            {"ServerlessV2ScalingConfiguration": {"MinCapacity": 0.7, "MaxCapacity": 1}},
            VALUE,
            "half an ACU",
        ),
        (
            {"ServerlessV2ScalingConfiguration": {"MinCapacity": 2, "MaxCapacity": 1}},
            VALUE,
            "can't exceed",
        ),
    ],
)
def test_cluster_that_is_refused(changes: dict[str, Any], code: str, message: str) -> None:
    merged = {**CLUSTER, **changes}
    request = {name: value for name, value in merged.items() if value is not None}
    found = refusal(client("rds").create_db_cluster, **request)
    assert found[0] == code, found
    assert message in found[1]


@pytest.mark.parametrize(
    "changes",
    [
        {},
        MULTI_AZ,
        {"StorageType": "aurora-iopt1", "BackupRetentionPeriod": 35},
        {"EngineVersion": "16.4", "EnableCloudwatchLogsExports": ["postgresql"]},
        {"ServerlessV2ScalingConfiguration": {"MinCapacity": 0.5, "MaxCapacity": 16}},
    ],
)
def test_cluster_that_is_created(changes: dict[str, Any]) -> None:
    client("rds").create_db_cluster(**{**CLUSTER, **changes})
