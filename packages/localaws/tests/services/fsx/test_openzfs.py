"""Tests of services.fsx.openzfs."""

from __future__ import annotations

from typing import Any

import pytest

from packages.localaws.tests.fsx_requests import create, find
from packages.localaws.tests.parts import Site, client, refusal


def refused(request: dict[str, Any]) -> tuple[str, str]:
    return refusal(client("fsx").create_file_system, **request)


class TestOpenZfs:
    def request(self, site: Site, capacity: int = 128, **more: Any) -> dict[str, Any]:
        return {
            "FileSystemType": "OPENZFS",
            "StorageCapacity": capacity,
            "SubnetIds": [site.subnet_id],
            "SecurityGroupIds": [site.group_id],
            "OpenZFSConfiguration": {
                "DeploymentType": "SINGLE_AZ_1",
                "ThroughputCapacity": 64,
                **more,
            },
        }

    def test_root_volume_has_children(self, site: Site) -> None:
        made = create(self.request(site))
        root = made["OpenZFSConfiguration"]["RootVolumeId"]
        assert made["OpenZFSConfiguration"]["DiskIopsConfiguration"] == {
            "Mode": "AUTOMATIC",
            "Iops": 384,
        }
        fsx = client("fsx")
        child = fsx.create_volume(
            VolumeType="OPENZFS", Name="home", OpenZFSConfiguration={"ParentVolumeId": root}
        )["Volume"]
        assert child["OpenZFSConfiguration"]["VolumePath"] == "/fsx/home/"
        assert refusal(fsx.delete_volume, VolumeId=root)[0] == "BadRequest"
        fsx.delete_volume(VolumeId=child["VolumeId"])
        assert [v["VolumeId"] for v in fsx.describe_volumes()["Volumes"]] == [root]

    @pytest.mark.parametrize(
        ("capacity", "more"),
        [
            (63, {}),
            (524_289, {}),
            (128, {"ThroughputCapacity": 65}),
            (128, {"DeploymentType": "SINGLE_AZ_2", "ThroughputCapacity": 64}),
            (128, {"DiskIopsConfiguration": {"Mode": "USER_PROVISIONED", "Iops": 100}}),
            (128, {"DeploymentType": "MULTI_AZ_1", "ThroughputCapacity": 160}),
            (128, {"RootVolumeConfiguration": {"RecordSizeKiB": 5}}),
        ],
    )
    def test_invalid_openzfs_values_are_refused(
        self, site: Site, capacity: int, more: dict[str, Any]
    ) -> None:
        assert refused(self.request(site, capacity, **more))[0] == "BadRequest"

    def test_capacity_increase_is_at_least_ten_percent(self, site: Site) -> None:
        name = create(self.request(site))["FileSystemId"]
        fsx = client("fsx")
        assert (
            refusal(fsx.update_file_system, FileSystemId=name, StorageCapacity=130)[0]
            == "BadRequest"
        )
        fsx.update_file_system(FileSystemId=name, StorageCapacity=256)
        assert find(name)["OpenZFSConfiguration"]["DiskIopsConfiguration"]["Iops"] == 768

    def test_associations_are_refused_for_openzfs(self, site: Site) -> None:
        client("s3").create_bucket(Bucket="corpus")
        code, _ = refusal(
            client("fsx").create_data_repository_association,
            FileSystemId=create(self.request(site))["FileSystemId"],
            FileSystemPath="/a",
            DataRepositoryPath="s3://corpus",
        )
        assert code == "UnsupportedOperation"
