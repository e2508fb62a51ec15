"""Requests for file systems."""

from __future__ import annotations

from typing import Any

from packages.localaws.tests.parts import Site, client


def lustre(site: Site, capacity: int | None, **configuration: Any) -> dict[str, Any]:
    storage = configuration.pop("StorageType", None)
    more = {
        name: configuration.pop(name)
        for name in ("FileSystemTypeVersion", "KmsKeyId", "ClientRequestToken", "Tags")
        if name in configuration
    }
    return {
        "FileSystemType": "LUSTRE",
        "SubnetIds": [site.subnet_id],
        "SecurityGroupIds": [site.group_id],
        "LustreConfiguration": configuration,
        **({} if capacity is None else {"StorageCapacity": capacity}),
        **({} if storage is None else {"StorageType": storage}),
        **more,
    }


def create(request: dict[str, Any]) -> dict[str, Any]:
    made = client("fsx").create_file_system(**request)["FileSystem"]
    return find(made["FileSystemId"])


def find(file_system_id: str) -> dict[str, Any]:
    answer = client("fsx").describe_file_systems(FileSystemIds=[file_system_id])
    found: dict[str, Any] = answer["FileSystems"][0]
    return found
