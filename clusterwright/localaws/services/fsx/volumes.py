"""OpenZFS volumes: create, describe, update, delete."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clusterwright.localaws.call import AwsError, Call, operation
from clusterwright.localaws.pages import page
from clusterwright.localaws.services.fsx.openzfs import RECORD_SIZES_KIB
from clusterwright.localaws.services.fsx.state import (
    Store,
    Volume,
    bad,
    new_id,
    once,
    store_of,
    tag_list,
    tag_map,
)


@operation("fsx", "CreateVolume")
def create_volume(call: Call) -> Mapping[str, Any]:
    def make() -> str:
        return _create(call).id

    return {"Volume": view(store_of(call).volumes[once(call, "volume", make)])}


@operation("fsx", "DescribeVolumes")
def describe_volumes(call: Call) -> Mapping[str, Any]:
    store = store_of(call)
    ids = call.parameters.get("VolumeIds")
    found = [_find(store, each) for each in ids] if ids else [*store.volumes.values()]
    for entry in call.parameters.get("Filters", ()):
        if entry.get("Name") == "file-system-id":
            found = [v for v in found if v.file_system.id in entry.get("Values", ())]
    entries, token = page(found, call, default=100, stale_page_code="BadRequest")
    answer: dict[str, Any] = {"Volumes": [view(each) for each in entries]}
    return {**answer, "NextToken": token} if token else answer


@operation("fsx", "UpdateVolume")
def update_volume(call: Call) -> Mapping[str, Any]:
    volume = _find(store_of(call), call.parameters["VolumeId"])
    if "Name" in call.parameters:
        volume.name = call.parameters["Name"]
    asked = call.parameters.get("OpenZFSConfiguration") or {}
    _check_record_size(asked)
    volume.configuration = {**volume.configuration, **asked}
    return {"Volume": view(volume)}


@operation("fsx", "DeleteVolume")
def delete_volume(call: Call) -> Mapping[str, Any]:
    store = store_of(call)
    volume = _find(store, call.parameters["VolumeId"])
    if volume.id == volume.file_system.root_volume_id:
        raise bad("The root volume goes with its file system.")
    children = [
        v for v in store.volumes.values() if v.configuration.get("ParentVolumeId") == volume.id
    ]
    if children:
        raise bad(f"Volume {volume.id} has child volumes.")
    del store.volumes[volume.id]
    return {"VolumeId": volume.id, "Lifecycle": "DELETING"}


def view(volume: Volume) -> dict[str, Any]:
    """A volume as the API answers it."""
    answer: dict[str, Any] = {
        "CreationTime": volume.created_at,
        "FileSystemId": volume.file_system.id,
        "Lifecycle": volume.lifecycle,
        "Name": volume.name,
        "ResourceARN": volume.arn,
        "VolumeId": volume.id,
        "VolumeType": "OPENZFS",
        "OpenZFSConfiguration": {
            **{k: v for k, v in volume.configuration.items() if k != "OriginSnapshot"},
            "VolumePath": volume.path,
        },
    }
    return {**answer, "Tags": tag_list(volume.tags)} if volume.tags else answer


def _create(call: Call) -> Volume:
    store = store_of(call)
    asked = call.parameters
    configuration = asked.get("OpenZFSConfiguration")
    if asked["VolumeType"] != "OPENZFS" or configuration is None:
        raise AwsError("MissingVolumeConfiguration", "OpenZFSConfiguration is required.")
    parent = _find(store, configuration["ParentVolumeId"])
    if any(
        v.name == asked["Name"] and v.configuration.get("ParentVolumeId") == parent.id
        for v in store.volumes.values()
    ):
        raise bad(f"Volume {parent.name} has a child named {asked['Name']} already.")
    _check_record_size(configuration)
    volume = Volume(
        id=new_id("fsvol"),
        file_system=parent.file_system,
        name=asked["Name"],
        path=f"{parent.path}{asked['Name']}/",
        created_at=call.now,
        configuration=dict(configuration),
        tags=tag_map(asked.get("Tags")),
    )
    store.volumes[volume.id] = volume
    return volume


def _check_record_size(configuration: Mapping[str, Any]) -> None:
    size = configuration.get("RecordSizeKiB")
    if size is not None and size not in RECORD_SIZES_KIB:
        raise bad(f"RecordSizeKiB must be one of {', '.join(map(str, RECORD_SIZES_KIB))}.")


def _find(store: Store, volume_id: str) -> Volume:
    found = store.volumes.get(volume_id)
    if found is None:
        raise AwsError("VolumeNotFound", f"Volume '{volume_id}' does not exist.")
    return found
