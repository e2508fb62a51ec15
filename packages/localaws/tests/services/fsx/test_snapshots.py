"""Tests of services.fsx.snapshots."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright_localaws.core.runtime import Runtime
from packages.localaws.tests.fsx_requests import create
from packages.localaws.tests.parts import (
    Site,
    build_site,
    client,
    open_lustre_ports,
    refusal,
)

OPTION = "DELETE_CHILD_VOLUMES_AND_SNAPSHOTS"


@pytest.fixture
def open_site(aws: Runtime) -> Site:
    site = build_site()
    open_lustre_ports(site)
    client("s3").create_bucket(Bucket="corpus")
    return site


def zfs(site: Site, **more: Any) -> dict[str, Any]:
    settings = {"DeploymentType": "SINGLE_AZ_1", "ThroughputCapacity": 64, **more}
    return create(
        {
            "FileSystemType": "OPENZFS",
            "StorageCapacity": 64,
            "SubnetIds": [site.subnet_id],
            "SecurityGroupIds": [site.group_id],
            "OpenZFSConfiguration": settings,
        }
    )


class TestSnapshots:
    def test_snapshot_is_created_renamed_and_deleted(self, open_site: Site) -> None:
        fsx, root = client("fsx"), zfs(open_site)["OpenZFSConfiguration"]["RootVolumeId"]
        made = fsx.create_snapshot(Name="monday", VolumeId=root)["Snapshot"]
        assert made["Lifecycle"] == "CREATING"
        assert refusal(fsx.create_snapshot, Name="monday", VolumeId=root)[0] == "BadRequest"
        fsx.update_snapshot(SnapshotId=made["SnapshotId"], Name="tuesday")
        wanted = [{"Name": "volume-id", "Values": [root]}]
        (found,) = fsx.describe_snapshots(Filters=wanted)["Snapshots"]
        assert (found["Name"], found["Lifecycle"]) == ("tuesday", "AVAILABLE")
        assert fsx.delete_snapshot(SnapshotId=made["SnapshotId"])["Lifecycle"] == "DELETING"
        assert fsx.describe_snapshots()["Snapshots"] == []

    def test_snapshot_with_a_clone_cannot_be_deleted(self, open_site: Site) -> None:
        fsx, root = client("fsx"), zfs(open_site)["OpenZFSConfiguration"]["RootVolumeId"]
        made = fsx.create_snapshot(Name="s", VolumeId=root)["Snapshot"]
        origin = {"SnapshotARN": made["ResourceARN"], "CopyStrategy": "CLONE"}
        settings = {"ParentVolumeId": root, "OriginSnapshot": origin}
        clone = fsx.create_volume(VolumeType="OPENZFS", Name="c", OpenZFSConfiguration=settings)
        code, message = refusal(fsx.delete_snapshot, SnapshotId=made["SnapshotId"])
        assert (code, clone["Volume"]["VolumeId"] in message) == ("BadRequest", True)

    def test_children_are_deleted_only_with_the_option(self, open_site: Site) -> None:
        fsx, made = client("fsx"), zfs(open_site)
        root = made["OpenZFSConfiguration"]["RootVolumeId"]
        fsx.create_snapshot(Name="s", VolumeId=root)
        code, message = refusal(fsx.delete_file_system, FileSystemId=made["FileSystemId"])
        assert (code, OPTION in message) == ("BadRequest", True)
        fsx.delete_file_system(
            FileSystemId=made["FileSystemId"],
            OpenZFSConfiguration={"SkipFinalBackup": True, "Options": [OPTION]},
        )
        assert fsx.describe_snapshots()["Snapshots"] == fsx.describe_volumes()["Volumes"] == []
