"""Snapshots of OpenZFS volumes. They contain no data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.services.fsx.state import (
    Filters,
    Snapshot,
    Store,
    bad_request,
    new_id,
    store_of,
    tag_list,
    tag_map,
)


@operation("fsx", "CreateSnapshot")
def create_snapshot(call: Call) -> Mapping[str, Any]:
    store = store_of(call)
    return {"Snapshot": view(store.snapshots.create(call, lambda: _create(call, store)))}


@operation("fsx", "DescribeSnapshots")
def describe_snapshots(call: Call) -> Mapping[str, Any]:
    filters: Filters[Snapshot] = {
        "volume-id": lambda snapshot: snapshot.volume.id,
        "file-system-id": lambda snapshot: snapshot.volume.file_system.id,
    }
    return store_of(call).snapshots.described(call, "Snapshots", "SnapshotIds", view, filters)


@operation("fsx", "UpdateSnapshot")
def update_snapshot(call: Call) -> Mapping[str, Any]:
    store = store_of(call)
    snapshot = store.snapshots.find_available(call.parameters["SnapshotId"])
    _refuse_name(store, snapshot.volume.id, call.parameters["Name"])
    snapshot.name = call.parameters["Name"]
    return {"Snapshot": view(snapshot)}


@operation("fsx", "DeleteSnapshot")
def delete_snapshot(call: Call) -> Mapping[str, Any]:
    store = store_of(call)
    snapshot = store.snapshots.find_available(call.parameters["SnapshotId"])
    clones = [
        volume.id
        for volume in store.volumes.values()
        if (volume.configuration.get("OriginSnapshot") or {}).get("SnapshotARN") == snapshot.arn
    ]
    if clones:
        raise bad_request(f"Snapshot {snapshot.id} has clones: {', '.join(clones)}.")
    snapshot.lifecycle = "DELETING"
    store.after(call.world.delays.volume, lambda: store.snapshots.pop(snapshot.id, None))
    return {"SnapshotId": snapshot.id, "Lifecycle": "DELETING"}


def view(snapshot: Snapshot) -> dict[str, Any]:
    """Return a snapshot in the shape of the API."""
    answer: dict[str, Any] = {
        "ResourceARN": snapshot.arn,
        "SnapshotId": snapshot.id,
        "Name": snapshot.name,
        "VolumeId": snapshot.volume.id,
        "CreationTime": snapshot.created_at,
        "Lifecycle": snapshot.lifecycle,
    }
    return {**answer, "Tags": tag_list(snapshot.tags)} if snapshot.tags else answer


def _create(call: Call, store: Store) -> Snapshot:
    request = call.parameters
    volume = store.volumes.find_available(request["VolumeId"])
    _refuse_name(store, volume.id, request["Name"])
    copied = volume.tags if volume.configuration.get("CopyTagsToSnapshots") else {}
    snapshot = Snapshot(
        id=new_id("fsvolsnap"),
        volume=volume,
        name=request["Name"],
        created_at=call.now,
        tags=tag_map(request.get("Tags")) or dict(copied),
    )
    return store.add(store.snapshots, snapshot, call.world.delays.volume)


def _refuse_name(store: Store, volume_id: str, name: str) -> None:
    if any(s.name == name and s.volume.id == volume_id for s in store.snapshots.values()):
        raise bad_request(f"Volume {volume_id} has a snapshot named {name} already.")
