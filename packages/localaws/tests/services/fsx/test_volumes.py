"""Tests of services.fsx.volumes."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright_localaws import local_aws
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


class TestVolumes:
    def test_states_take_their_delay(self) -> None:
        with local_aws(delays={"volume": 60}) as runtime:
            fsx, made = client("fsx"), zfs(build_site())
            root = made["OpenZFSConfiguration"]["RootVolumeId"]
            settings = {"ParentVolumeId": root}
            volume = fsx.create_volume(
                VolumeType="OPENZFS", Name="v", OpenZFSConfiguration=settings
            )["Volume"]
            assert volume["Lifecycle"] == "CREATING"
            name = volume["VolumeId"]
            assert refusal(fsx.update_volume, VolumeId=name, Name="w")[0] == "BadRequest"
            assert refusal(fsx.delete_volume, VolumeId=name)[0] == "BadRequest"
            runtime.clock.advance(61)
            fsx.update_volume(VolumeId=name, Name="w")
            fsx.delete_volume(VolumeId=name)
            found = fsx.describe_volumes(VolumeIds=[name])["Volumes"][0]
            assert found["Lifecycle"] == "DELETING"
            assert found["OpenZFSConfiguration"]["VolumePath"] == "/fsx/w/"
            runtime.clock.advance(61)
            assert refusal(fsx.describe_volumes, VolumeIds=[name])[0] == "VolumeNotFound"

    def test_child_volumes_are_deleted_with_the_option(self, open_site: Site) -> None:
        fsx, root = client("fsx"), zfs(open_site)["OpenZFSConfiguration"]["RootVolumeId"]
        parent = root
        ids = []
        for name in ("a", "b", "c"):
            settings = {"ParentVolumeId": parent}
            parent = fsx.create_volume(
                VolumeType="OPENZFS", Name=name, OpenZFSConfiguration=settings
            )["Volume"]["VolumeId"]
            fsx.describe_volumes()
            ids.append(parent)
        assert refusal(fsx.delete_volume, VolumeId=ids[0])[0] == "BadRequest"
        fsx.delete_volume(VolumeId=ids[0], OpenZFSConfiguration={"Options": [OPTION]})
        assert [volume["VolumeId"] for volume in fsx.describe_volumes()["Volumes"]] == [root]
