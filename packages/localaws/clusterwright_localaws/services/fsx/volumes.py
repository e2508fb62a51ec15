"""OpenZFS volumes: create, describe, update, delete."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.services.fsx.openzfs import RECORD_SIZES_KIB
from clusterwright_localaws.services.fsx.state import (
    Filters,
    Store,
    Volume,
    bad_request,
    new_id,
    store_of,
    tag_list,
    tag_map,
)


@operation("fsx", "CreateVolume")
def create_volume(call: Call) -> Mapping[str, Any]:
    volume = store_of(call).volumes.create(call, lambda: _create(call))
    return {"Volume": view(volume)}


@operation("fsx", "DescribeVolumes")
def describe_volumes(call: Call) -> Mapping[str, Any]:
    filters: Filters[Volume] = {"file-system-id": lambda volume: volume.file_system.id}
    return store_of(call).volumes.described(call, "Volumes", "VolumeIds", view, filters)


@operation("fsx", "UpdateVolume")
def update_volume(call: Call) -> Mapping[str, Any]:
    store = store_of(call)
    volume = store.volumes.find_available(call.parameters["VolumeId"])
    request = call.parameters.get("OpenZFSConfiguration") or {}
    _check_record_size(request)
    name = call.parameters.get("Name")
    if name is not None and name != volume.name:
        _refuse_name(store, str(volume.configuration.get("ParentVolumeId")), name)
        volume.name = name
        volume.path = f"{volume.path.rstrip('/').rsplit('/', 1)[0]}/{name}/"
    volume.configuration = {**volume.configuration, **request}
    return {"Volume": view(volume)}


@operation("fsx", "DeleteVolume")
def delete_volume(call: Call) -> Mapping[str, Any]:
    store = store_of(call)
    volume = store.volumes.find_available(call.parameters["VolumeId"])
    if volume.id == volume.file_system.root_volume_id:
        raise bad_request("The root volume goes with its file system.")
    below = _below(store, volume)
    snapshots = [s for s in store.snapshots.values() if s.volume in (volume, *below)]
    options = (call.parameters.get("OpenZFSConfiguration") or {}).get("Options", ())
    if (below or snapshots) and "DELETE_CHILD_VOLUMES_AND_SNAPSHOTS" not in options:
        raise bad_request(f"Volume {volume.id} has child volumes or snapshots.")
    for each in (volume, *below):
        each.lifecycle = "DELETING"

    def gone() -> None:
        for snapshot in snapshots:
            store.snapshots.pop(snapshot.id, None)
        for each in (volume, *below):
            store.volumes.pop(each.id, None)

    store.after(call.world.delays.volume, gone)
    return {"VolumeId": volume.id, "Lifecycle": "DELETING"}


def view(volume: Volume) -> dict[str, Any]:
    """Return a volume in the shape of the API."""
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
    request = call.parameters
    configuration = request.get("OpenZFSConfiguration")
    if request["VolumeType"] != "OPENZFS" or configuration is None:
        raise AwsError("MissingVolumeConfiguration", "OpenZFSConfiguration is required.")
    parent = store.volumes.find_available(configuration["ParentVolumeId"])
    _refuse_name(store, parent.id, request["Name"])
    origin = (configuration.get("OriginSnapshot") or {}).get("SnapshotARN")
    if origin is not None and origin not in {s.arn for s in store.snapshots.values()}:
        raise bad_request(f"The snapshot {origin} does not exist.")
    _check_record_size(configuration)
    volume = Volume(
        id=new_id("fsvol"),
        file_system=parent.file_system,
        name=request["Name"],
        path=f"{parent.path}{request['Name']}/",
        created_at=call.now,
        configuration=dict(configuration),
        tags=tag_map(request.get("Tags")),
    )
    return store.add(store.volumes, volume, call.world.delays.volume)


def _below(store: Store, volume: Volume) -> list[Volume]:
    """Return every volume under this volume, at any depth."""
    found: list[Volume] = []
    for each in store.volumes.values():
        if each.configuration.get("ParentVolumeId") == volume.id:
            found += [each, *_below(store, each)]
    return found


def _refuse_name(store: Store, parent_id: str, name: str) -> None:
    for each in store.volumes.values():
        if each.name == name and each.configuration.get("ParentVolumeId") == parent_id:
            raise bad_request(f"Volume {parent_id} has a child named {name} already.")


def _check_record_size(configuration: Mapping[str, Any]) -> None:
    size = configuration.get("RecordSizeKiB")
    if size is not None and size not in RECORD_SIZES_KIB:
        raise bad_request(f"RecordSizeKiB must be one of {', '.join(map(str, RECORD_SIZES_KIB))}.")
