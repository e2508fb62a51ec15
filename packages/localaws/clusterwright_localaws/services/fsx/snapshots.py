"""Snapshots of OpenZFS volumes. They contain no data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.core.pagination import paged
from clusterwright_localaws.services.fsx.state import (
    Snapshot,
    Store,
    bad_request,
    idempotent,
    new_id,
    store_of,
    tag_list,
    tag_map,
)


@operation("fsx", "CreateSnapshot")
def create_snapshot(call: Call) -> Mapping[str, Any]:
    store = store_of(call)

    def make() -> str:
        return _create(call, store).id

    return {"Snapshot": view(store.snapshots[idempotent(call, "snapshot", make, store.snapshots)])}


@operation("fsx", "DescribeSnapshots")
def describe_snapshots(call: Call) -> Mapping[str, Any]:
    store = store_of(call)
    ids = call.parameters.get("SnapshotIds")
    found = [_find(store, each) for each in ids] if ids else [*store.snapshots.values()]
    for entry in call.parameters.get("Filters", ()):
        requested = entry.get("Values", ())
        if entry.get("Name") == "volume-id":
            found = [each for each in found if each.volume.id in requested]
        elif entry.get("Name") == "file-system-id":
            found = [each for each in found if each.volume.file_system.id in requested]
    return paged(call, "Snapshots", found, view, stale_page_code="BadRequest")


@operation("fsx", "UpdateSnapshot")
def update_snapshot(call: Call) -> Mapping[str, Any]:
    store = store_of(call)
    snapshot = _find(store, call.parameters["SnapshotId"])
    _refuse_busy(snapshot)
    _refuse_name(store, snapshot.volume.id, call.parameters["Name"])
    snapshot.name = call.parameters["Name"]
    return {"Snapshot": view(snapshot)}


@operation("fsx", "DeleteSnapshot")
def delete_snapshot(call: Call) -> Mapping[str, Any]:
    store = store_of(call)
    snapshot = _find(store, call.parameters["SnapshotId"])
    _refuse_busy(snapshot)
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
    volume = store.volumes.get(request["VolumeId"])
    if volume is None:
        raise AwsError("VolumeNotFound", f"Volume '{request['VolumeId']}' does not exist.")
    if volume.lifecycle != "AVAILABLE":
        raise bad_request(f"Volume {volume.id} is {volume.lifecycle}.")
    _refuse_name(store, volume.id, request["Name"])
    copied = volume.tags if volume.configuration.get("CopyTagsToSnapshots") else {}
    snapshot = Snapshot(
        id=new_id("fsvolsnap"),
        volume=volume,
        name=request["Name"],
        created_at=call.now,
        tags=tag_map(request.get("Tags")) or dict(copied),
    )
    store.snapshots[snapshot.id] = snapshot
    store.after(call.world.delays.volume, lambda: setattr(snapshot, "lifecycle", "AVAILABLE"))
    return snapshot


def _refuse_busy(snapshot: Snapshot) -> None:
    if snapshot.lifecycle != "AVAILABLE":
        raise bad_request(f"Snapshot {snapshot.id} is {snapshot.lifecycle}.")


def _refuse_name(store: Store, volume_id: str, name: str) -> None:
    if any(s.name == name and s.volume.id == volume_id for s in store.snapshots.values()):
        raise bad_request(f"Volume {volume_id} has a snapshot named {name} already.")


def _find(store: Store, snapshot_id: str) -> Snapshot:
    found = store.snapshots.get(snapshot_id)
    if found is None:
        raise AwsError("SnapshotNotFound", f"Snapshot '{snapshot_id}' does not exist.")
    return found
