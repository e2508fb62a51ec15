"""CreateFileSystem, DescribeFileSystems, UpdateFileSystem, DeleteFileSystem."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from clusterwright_localaws.core import moto_state
from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.services.ec2.network import User
from clusterwright_localaws.services.fsx import backups, limits, lustre, openzfs, ports
from clusterwright_localaws.services.fsx.state import (
    FileSystem,
    Store,
    Volume,
    bad_request,
    incompatible,
    new_id,
    new_mount_name,
    store_of,
    tag_map,
)
from clusterwright_localaws.services.fsx.views import view

_NOT_SETTINGS = frozenset({"ClientRequestToken", "Tags"})
_BETWEEN_INCREASES = timedelta(hours=6)


@operation("fsx", "CreateFileSystem")
def create_file_system(call: Call) -> Mapping[str, Any]:
    store = store_of(call)

    def make() -> FileSystem:
        request = {k: v for k, v in call.parameters.items() if k not in _NOT_SETTINGS}
        return create_from(call, request)

    return {"FileSystem": view(store.file_systems.create(call, make))}


@operation("fsx", "DescribeFileSystems")
def describe_file_systems(call: Call) -> Mapping[str, Any]:
    return store_of(call).file_systems.described(call, "FileSystems", "FileSystemIds", view, {})


@operation("fsx", "UpdateFileSystem")
def update_file_system(call: Call) -> Mapping[str, Any]:
    """Change settings after the delay; the capacity can only grow."""
    store = store_of(call)
    file_system = store.file_systems.find(call.parameters["FileSystemId"])
    requested = {
        key: value
        for key, value in call.parameters.items()
        if key not in ("FileSystemId", "ClientRequestToken")
    }
    name = _configuration(file_system.kind)
    other = {"LustreConfiguration", "OpenZFSConfiguration"} - {name}
    for wrong in other & requested.keys():
        raise incompatible(wrong, f"{wrong} does not fit a {file_system.kind} file system.")
    if file_system.kind == "LUSTRE":
        lustre.check_update(file_system, requested)
    else:
        openzfs.check_update(file_system, requested)
    _check_wait(file_system, requested, call.now)
    target = _merged(file_system, requested, name)
    limits.check(call, file_system.kind, target, before=file_system.request)
    action = {
        "AdministrativeActionType": "FILE_SYSTEM_UPDATE",
        "RequestTime": call.now,
        "Status": "IN_PROGRESS",
        "TargetFileSystemValues": {k: v for k, v in requested.items() if k == "StorageCapacity"},
    }
    file_system.actions.insert(0, action)
    del file_system.actions[50:]
    file_system.lifecycle = "UPDATING"

    def updated() -> None:
        file_system.request = target
        file_system.lifecycle = "AVAILABLE"
        action["Status"] = "COMPLETED"

    store.after(call.world.delays.file_system, updated)
    return {"FileSystem": view(file_system)}


def _check_wait(file_system: FileSystem, requested: Mapping[str, Any], now: datetime) -> None:
    """FSx for Lustre guide, "Managing storage capacity", and FSx for OpenZFS guide, "Managing SSD
    storage capacity and IOPS": six hours between increases; the message is ours.
    """
    if "StorageCapacity" not in requested:
        return
    for action in file_system.actions:
        earlier = "StorageCapacity" in action.get("TargetFileSystemValues", {})
        if earlier and now - action["RequestTime"] < _BETWEEN_INCREASES:
            raise bad_request(
                "The storage capacity can be increased six hours after the last increase, which "
                f"was requested at {action['RequestTime']:%Y-%m-%dT%H:%M:%SZ}."
            )


@operation("fsx", "DeleteFileSystem")
def delete_file_system(call: Call) -> Mapping[str, Any]:
    store = store_of(call)
    file_system = store.file_systems.find(call.parameters["FileSystemId"])
    if file_system.lifecycle == "DELETING":
        raise bad_request(f"File system {file_system.id} is being deleted already.")
    if file_system.lifecycle in ("CREATING", "UPDATING"):
        raise bad_request(f"File system {file_system.id} is {file_system.lifecycle}.")
    answer: dict[str, Any] = {"FileSystemId": file_system.id, "Lifecycle": "DELETING"}
    _refuse_children(store, file_system, call.parameters)
    final = _final_backup(call, store, file_system)
    if final is not None:
        name = "LustreResponse" if file_system.kind == "LUSTRE" else "OpenZFSResponse"
        answer[name] = {"FinalBackupId": final}
    file_system.lifecycle = "DELETING"

    def gone() -> None:
        for snapshot in [
            s for s in store.snapshots.values() if s.volume.file_system is file_system
        ]:
            store.snapshots.pop(snapshot.id, None)
        for association in store.of_file_system(file_system):
            store.associations.pop(association.id, None)
        for volume in [v for v in store.volumes.values() if v.file_system is file_system]:
            store.volumes.pop(volume.id, None)
        for interface_id in file_system.interface_ids:
            store.network.ec2.enis.pop(interface_id, None)
        store.network.release(file_system.arn)
        store.file_systems.pop(file_system.id, None)

    store.after(call.world.delays.file_system, gone)
    return answer


def _check_key(call: Call, key: str | None) -> None:
    """Check that a key of this account exists and is enabled; keys of others are not checked."""
    parts = (key or "").split(":")
    if key is None or (len(parts) > 4 and parts[4] != call.account) or "alias/" in key:
        return
    found = moto_state.backend("kms", call.account, call.region).keys.get(key.rsplit("/", 1)[-1])
    state = found.key_state if found is not None else "not there"
    if state != "Enabled":
        raise bad_request(f"The KMS key {key} cannot be used: it is {state}.")


def create_from(call: Call, request: Mapping[str, Any]) -> FileSystem:
    """Create a file system with these settings, and the tags of the call.

    Raises
    ------
    AwsError
        Whatever CreateFileSystem refuses.
    """
    store = store_of(call)
    request = {k: v for k, v in request.items() if k not in _NOT_SETTINGS}
    kind = request["FileSystemType"]
    if kind not in ("LUSTRE", "OPENZFS"):
        raise AwsError(
            "UnsupportedOperation", f"the local AWS has no {kind} file systems", status=400
        )
    name = _configuration(kind)
    for other in {"LustreConfiguration", "OpenZFSConfiguration"} - {name}:
        if other in request:
            raise incompatible(other, f"{other} does not fit a {kind} file system.")
    if kind == "OPENZFS" and name not in request:
        raise AwsError("MissingFileSystemConfiguration", f"{name} is required.")
    rules: Any = lustre if kind == "LUSTRE" else openzfs
    rules.check(request)
    settings: dict[str, Any] = rules.with_defaults(request)
    request = settings
    subnets, groups = _network(store, request)
    if kind == "LUSTRE":
        efa = bool(request["LustreConfiguration"].get("EfaEnabled"))
        ports.check_lustre(groups, subnets[0], efa=efa)
    _check_key(call, request.get("KmsKeyId"))
    limits.check(call, kind, request)
    each = lustre.servers(request) if kind == "LUSTRE" else openzfs.addresses(request)
    _require_addresses(store, subnets, each)
    file_system = FileSystem(
        id=new_id("fs"),
        kind=kind,
        account=call.account,
        region=call.region,
        created_at=call.now,
        vpc_id=subnets[0].vpc_id,
        request=settings,
        interface_ids=_interfaces(store, subnets, groups, each),
        tags=tag_map(call.parameters.get("Tags")),
    )
    if kind == "LUSTRE":
        scratch_1 = file_system.lustre["DeploymentType"] == "SCRATCH_1"
        # "fsx" for SCRATCH_1, a generated name for the others (guide, "Mounting from EC2").
        file_system.mount_name = "fsx" if scratch_1 else new_mount_name()
    else:
        _root_volume(store, file_system, call)
    store.network.use(
        file_system.arn,
        User(
            f"file system {file_system.id}",
            tuple(group.id for group in groups),
            tuple(request["SubnetIds"]),
        ),
    )
    return store.add(store.file_systems, file_system, call.world.delays.file_system)


def _refuse_children(store: Store, file_system: FileSystem, parameters: Mapping[str, Any]) -> None:
    """Refuse to delete OpenZFS file systems with child volumes or snapshots, unless requested."""
    if file_system.kind != "OPENZFS":
        return
    options = (parameters.get("OpenZFSConfiguration") or {}).get("Options", ())
    children = [
        volume.id
        for volume in store.volumes.values()
        if volume.file_system is file_system and volume.id != file_system.root_volume_id
    ] + [s.id for s in store.snapshots.values() if s.volume.file_system is file_system]
    if children and "DELETE_CHILD_VOLUMES_AND_SNAPSHOTS" not in options:
        raise bad_request(
            f"File system {file_system.id} has child volumes or snapshots: "
            f"{', '.join(children)}. Use the option DELETE_CHILD_VOLUMES_AND_SNAPSHOTS."
        )


def _final_backup(call: Call, store: Store, file_system: FileSystem) -> str | None:
    """Create the final backup, by default of OpenZFS only (docstrings of DeleteFileSystem)."""
    name = _configuration(file_system.kind)
    settings = call.parameters.get(name) or {}
    if settings.get("SkipFinalBackup", file_system.kind == "LUSTRE"):
        return None
    backups.refuse(store, file_system)
    return backups.take(call, store, file_system, tag_map(settings.get("FinalBackupTags"))).id


def _network(store: Store, request: Mapping[str, Any]) -> tuple[list[Any], list[Any]]:
    subnets = []
    for subnet_id in request["SubnetIds"]:
        subnet = store.network.subnet(subnet_id)
        if subnet is None:
            raise AwsError(
                "InvalidNetworkSettings",
                f"The subnet ID '{subnet_id}' does not exist",
                InvalidSubnetId=subnet_id,
            )
        subnets.append(subnet)
    groups = []
    for group_id in request.get("SecurityGroupIds", ()):
        group = store.network.security_group(group_id)
        if group is None or group.vpc_id != subnets[0].vpc_id:
            raise AwsError(
                "InvalidNetworkSettings",
                f"The security group '{group_id}' does not exist in VPC {subnets[0].vpc_id}",
                InvalidSecurityGroupId=group_id,
            )
        groups.append(group)
    if not groups:
        default = store.network.ec2.get_default_security_group(subnets[0].vpc_id)
        groups = [default] if default is not None else []
    return subnets, groups


def _require_addresses(store: Store, subnets: list[Any], each: int) -> None:
    for subnet in subnets:
        free = store.network.free_addresses(subnet)
        if free < each:
            raise AwsError(
                "InvalidNetworkSettings",
                f"Subnet {subnet.id} does not have enough free IP addresses: the file system "
                f"needs {each}, {free} are free.",
                InvalidSubnetId=subnet.id,
            )


def _interfaces(store: Store, subnets: list[Any], groups: list[Any], each: int) -> list[str]:
    ec2 = store.network.ec2
    return [
        ec2.create_network_interface(
            subnet,
            None,
            group_ids=[group.id for group in groups],
            description="Created by Amazon FSx",
        ).id
        for subnet in subnets
        for _ in range(each)
    ]


def _root_volume(store: Store, file_system: FileSystem, call: Call) -> None:
    requested = dict(file_system.openzfs.get("RootVolumeConfiguration") or {})
    requested.setdefault("DataCompressionType", "NONE")
    requested.setdefault("RecordSizeKiB", 128)
    requested.setdefault("ReadOnly", False)
    requested.setdefault("CopyTagsToSnapshots", False)
    volume = Volume(
        id=new_id("fsvol"),
        file_system=file_system,
        name="fsx",
        path="/fsx/",
        created_at=call.now,
        configuration=requested,
        lifecycle="AVAILABLE",
    )
    store.volumes[volume.id] = volume
    file_system.root_volume_id = volume.id


def _merged(file_system: FileSystem, requested: Mapping[str, Any], name: str) -> dict[str, Any]:
    target = {**file_system.request, **{k: v for k, v in requested.items() if k != name}}
    target[name] = {**file_system.request[name], **(requested.get(name) or {})}
    if file_system.kind == "LUSTRE":
        return lustre.with_defaults(_without_automatic_iops(target))
    iops = target[name].get("DiskIopsConfiguration")
    if iops and iops.get("Mode") == "AUTOMATIC":
        target[name]["DiskIopsConfiguration"] = {"Mode": "AUTOMATIC"}
    return openzfs.with_defaults(target)


def _without_automatic_iops(target: dict[str, Any]) -> dict[str, Any]:
    metadata = target["LustreConfiguration"].get("MetadataConfiguration")
    if metadata and metadata["Mode"] == "AUTOMATIC":
        target["LustreConfiguration"]["MetadataConfiguration"] = {"Mode": "AUTOMATIC"}
    return target


def _configuration(kind: str) -> str:
    return "LustreConfiguration" if kind == "LUSTRE" else "OpenZFSConfiguration"


limits.register_usage()
