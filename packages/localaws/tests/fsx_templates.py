"""Templates with file systems."""

from __future__ import annotations

from typing import Any

from packages.localaws.tests.parts import (
    Site,
)

P2 = {"DeploymentType": "PERSISTENT_2", "PerUnitStorageThroughput": 125}


def lustre(site: Site, capacity: int = 1200, **configuration: Any) -> dict[str, Any]:
    return {
        "Type": "AWS::FSx::FileSystem",
        "Properties": {
            "FileSystemType": "LUSTRE",
            "FileSystemTypeVersion": "2.15",
            "StorageCapacity": capacity,
            "SubnetIds": [site.subnet_id],
            "SecurityGroupIds": [site.group_id],
            "LustreConfiguration": {**P2, **configuration},
        },
    }


def openzfs(site: Site, capacity: int = 64, throughput: int = 64, **more: Any) -> dict[str, Any]:
    return {
        "Type": "AWS::FSx::FileSystem",
        "Properties": {
            "FileSystemType": "OPENZFS",
            "StorageCapacity": capacity,
            "SubnetIds": [site.subnet_id],
            "SecurityGroupIds": [site.group_id],
            "OpenZFSConfiguration": {
                "DeploymentType": "SINGLE_AZ_1",
                "ThroughputCapacity": throughput,
                "Options": ["DELETE_CHILD_VOLUMES_AND_SNAPSHOTS"],
                **more,
            },
        },
    }


def link(path: str = "/data", bucket: str = "corpus", **more: Any) -> dict[str, Any]:
    return {
        "Type": "AWS::FSx::DataRepositoryAssociation",
        "Properties": {
            "FileSystemId": {"Ref": "Scratch"},
            "FileSystemPath": path,
            "DataRepositoryPath": f"s3://{bucket}{path}",
            **more,
        },
    }
