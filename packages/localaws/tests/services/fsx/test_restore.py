"""CreateFileSystemFromBackup: inherited and overridden settings."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.core.runtime import Runtime
from clusterwright_localaws.services.fsx.restore import _restored
from clusterwright_localaws.services.fsx.state import Backup, FileSystem
from packages.localaws.tests.fsx_requests import create, find, lustre
from packages.localaws.tests.parts import (
    Site,
    build_site,
    client,
    open_lustre_ports,
    refusal,
)

KEPT = {"DeploymentType": "PERSISTENT_2", "PerUnitStorageThroughput": 125}
NOW = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)


@pytest.fixture
def open_site(aws: Runtime) -> Site:
    site = build_site()
    open_lustre_ports(site)
    return site


def settled(site: Site, **configuration: Any) -> str:
    name = str(create(lustre(site, 1200, **configuration))["FileSystemId"])
    assert find(name)["Lifecycle"] == "AVAILABLE"
    return name


def test_backup_is_restored(open_site: Site) -> None:
    fsx, name = client("fsx"), settled(open_site, **KEPT)
    made = fsx.create_backup(FileSystemId=name)["Backup"]["BackupId"]
    wanted = {
        "BackupId": made,
        "SubnetIds": [open_site.subnet_id],
        "SecurityGroupIds": [open_site.group_id],
    }
    restored = fsx.create_file_system_from_backup(**wanted)["FileSystem"]
    assert restored["FileSystemId"] != name
    assert restored["StorageCapacity"] == 1200
    assert restored["LustreConfiguration"]["PerUnitStorageThroughput"] == 125
    code, message = refusal(fsx.create_file_system_from_backup, **wanted, StorageCapacity=2400)
    assert (code, "for OpenZFS only" in message) == ("BadRequest", True)


def test_an_unknown_backup_is_not_restored(open_site: Site) -> None:
    code, _ = refusal(
        client("fsx").create_file_system_from_backup,
        BackupId="backup-0123456789abcdef0",
        SubnetIds=[open_site.subnet_id],
    )
    assert code == "BackupNotFound"


def backup(kind: str = "OPENZFS", **request: Any) -> Backup:
    name = "LustreConfiguration" if kind == "LUSTRE" else "OpenZFSConfiguration"
    described = {"StorageCapacity": 64, "StorageType": "SSD", name: {}, **request}
    file_system = FileSystem(
        id="fs-1",
        kind=kind,
        account="111122223333",
        region="us-east-1",
        created_at=NOW,
        vpc_id="vpc-1",
        request=described,
        interface_ids=[],
    )
    return Backup(
        id="backup-1",
        file_system=file_system,
        snapshot={},
        request=described,
        created_at=NOW,
    )


def test_settings_are_inherited_and_overridden() -> None:
    before = {"ThroughputCapacity": 64, "DeploymentType": "SINGLE_AZ_1"}
    found = _restored(
        backup(OpenZFSConfiguration=before, KmsKeyId="arn:key"),
        {
            "SubnetIds": ["subnet-1"],
            "StorageCapacity": 128,
            "OpenZFSConfiguration": {"ThroughputCapacity": 128},
            "Tags": [{"Key": "a", "Value": "1"}],
        },
    )
    assert found == {
        "FileSystemType": "OPENZFS",
        "StorageCapacity": 128,
        "StorageType": "SSD",
        "KmsKeyId": "arn:key",
        "SubnetIds": ["subnet-1"],
        "OpenZFSConfiguration": {"ThroughputCapacity": 128, "DeploymentType": "SINGLE_AZ_1"},
    }


def test_what_is_automatic_stays_automatic() -> None:
    lustre_settings = {"MetadataConfiguration": {"Mode": "AUTOMATIC", "Iops": 1500}}
    found = _restored(backup("LUSTRE", LustreConfiguration=lustre_settings), {})
    assert found["LustreConfiguration"] == {"MetadataConfiguration": {"Mode": "AUTOMATIC"}}
    zfs = {"DiskIopsConfiguration": {"Mode": "AUTOMATIC", "Iops": 192}}
    found = _restored(backup(OpenZFSConfiguration=zfs), {})
    assert found["OpenZFSConfiguration"] == {"DiskIopsConfiguration": {"Mode": "AUTOMATIC"}}


@pytest.mark.parametrize(
    ("kind", "capacity", "message"),
    [
        ("LUSTRE", 128, "can be changed for OpenZFS only"),
        ("OPENZFS", 32, "StorageCapacity must be at least that of the backup, 64."),
    ],
)
def test_a_capacity_that_is_refused(kind: str, capacity: int, message: str) -> None:
    with pytest.raises(AwsError, match=message):
        _restored(backup(kind), {"StorageCapacity": capacity})
