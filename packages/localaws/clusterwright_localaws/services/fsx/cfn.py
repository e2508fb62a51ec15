"""FSx: file systems (Lustre and OpenZFS), data repository associations, OpenZFS volumes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from clusterwright_localaws.cloudformation.handler import (
    Context,
    Created,
    Handler,
    Properties,
)
from clusterwright_localaws.cloudformation.handler_helpers import (
    changed,
    delete_settled,
    pick,
    ready,
    retag,
    settle,
)

_CREATE = (
    "FileSystemType",
    "FileSystemTypeVersion",
    "KmsKeyId",
    "LustreConfiguration",
    "NetworkType",
    "SecurityGroupIds",
    "StorageCapacity",
    "StorageType",
    "SubnetIds",
)
_UPDATE = ("FileSystemTypeVersion", "NetworkType", "StorageCapacity", "StorageType")
# Members of the configurations whose change replaces the file system, from the "Update requires"
# of each in the template reference; the type's schema names only members of the top level.
# https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-fsx-filesystem.html
_LUSTRE_REPLACING = (
    "DeploymentType",
    "DriveCacheType",
    "EfaEnabled",
    "ExportPath",
    "ImportPath",
    "ImportedFileChunkSize",
)
_LUSTRE_UPDATABLE = (
    "WeeklyMaintenanceStartTime",
    "DailyAutomaticBackupStartTime",
    "AutomaticBackupRetentionDays",
    "AutoImportPolicy",
    "DataCompressionType",
    "LogConfiguration",
    "PerUnitStorageThroughput",
    "MetadataConfiguration",
    "ThroughputCapacity",
    "DataReadCacheConfiguration",
)
_OPENZFS_REPLACING = (
    "DeploymentType",
    "EndpointIpAddressRange",
    "PreferredSubnetId",
    "RootVolumeConfiguration",
)
_OPENZFS_UPDATABLE = (
    "AutomaticBackupRetentionDays",
    "CopyTagsToBackups",
    "CopyTagsToVolumes",
    "DailyAutomaticBackupStartTime",
    "ThroughputCapacity",
    "WeeklyMaintenanceStartTime",
    "DiskIopsConfiguration",
    "ReadCacheConfiguration",
)


class FileSystem(Handler):
    """``Ref`` is the file system's id."""

    type_name = "AWS::FSx::FileSystem"
    unsupported_properties = frozenset({"BackupId", "WindowsConfiguration", "OntapConfiguration"})

    def create(self, ctx: Context, properties: Properties) -> Created:
        parameters = pick(properties, *_CREATE)
        if "OpenZFSConfiguration" in properties:
            parameters["OpenZFSConfiguration"] = _openzfs(properties["OpenZFSConfiguration"])
        made = ctx.client("fsx").create_file_system(**parameters, **ctx.tagging(properties))[
            "FileSystem"
        ]
        ctx.identify(made["FileSystemId"])
        return self._available(ctx, made["FileSystemId"])

    def update(self, ctx: Context, physical_id: str, old: Properties, new: Properties) -> Created:
        fsx = ctx.client("fsx")
        # FSx refuses changes while another one runs.
        settle(ctx, lambda: _file_system(ctx, physical_id)["Lifecycle"], physical_id)
        # Also compared with the live values: after a refused update the rollback finds the old
        # values in place, and FSx refuses to set some of them again (a capacity must grow).
        live = _file_system(ctx, physical_id)
        parameters = {
            name: new[name]
            for name in _UPDATE
            if name in new and changed(old, new, name) and live.get(name) != new[name]
        }
        for name, updatable in (
            ("LustreConfiguration", _LUSTRE_UPDATABLE),
            ("OpenZFSConfiguration", _OPENZFS_UPDATABLE),
        ):
            before, after = old.get(name) or {}, new.get(name) or {}
            there = live.get(name) or {}
            members = {
                k: after[k]
                for k in updatable
                if k in after and changed(before, after, k) and there.get(k) != after[k]
            }
            if members:
                parameters[name] = members
        if parameters:
            fsx.update_file_system(FileSystemId=physical_id, **parameters)
        made = self._available(ctx, physical_id)
        retag(ctx, "fsx", old, new, ResourceARN=made.attributes["ResourceARN"])
        return made

    def delete(self, ctx: Context, physical_id: str, properties: Properties) -> None:
        openzfs = properties.get("OpenZFSConfiguration")
        # No final backup, so that a deleted stack leaves nothing. AWS does not document whether
        # its handler creates one.
        settings = {"SkipFinalBackup": True, **pick(openzfs or {}, "Options")}
        delete_settled(
            ctx,
            lambda: _file_system(ctx, physical_id)["Lifecycle"],
            lambda: ctx.client("fsx").delete_file_system(
                FileSystemId=physical_id, **({"OpenZFSConfiguration": settings} if openzfs else {})
            ),
            f"file system {physical_id}",
        )

    def read(self, ctx: Context, physical_id: str, properties: Properties) -> Properties:
        found = _file_system(ctx, physical_id)
        actual = {
            name: found[name]
            for name in ("FileSystemType", "StorageCapacity", "StorageType", "SubnetIds")
            if name in found and name in properties
        }
        for name in ("LustreConfiguration", "OpenZFSConfiguration"):
            written = properties.get(name)
            if written and name in found:
                actual[name] = _as_written(written, found[name])
        return actual

    def replacing(self, old: Properties, new: Properties) -> set[str]:
        forced = {"StorageType"} if changed(old, new, "StorageType") else set()
        for name, members in (
            ("LustreConfiguration", _LUSTRE_REPLACING),
            ("OpenZFSConfiguration", _OPENZFS_REPLACING),
        ):
            if changed(old.get(name) or {}, new.get(name) or {}, *members):
                forced.add(name)
        return forced

    def _available(self, ctx: Context, file_system_id: str) -> Created:
        found = _wait_available(
            ctx, lambda: _file_system(ctx, file_system_id), f"file system {file_system_id}"
        )
        return Created(
            file_system_id,
            {
                **pick(found, "DNSName", "ResourceARN", FileSystemId="Id"),
                **pick(found.get("LustreConfiguration") or {}, MountName="LustreMountName"),
                **pick(found.get("OpenZFSConfiguration") or {}, "RootVolumeId"),
            },
        )


class DataRepositoryAssociation(Handler):
    """``Ref`` is the association's id."""

    type_name = "AWS::FSx::DataRepositoryAssociation"

    def create(self, ctx: Context, properties: Properties) -> Created:
        made = ctx.client("fsx").create_data_repository_association(
            **pick(
                properties,
                "FileSystemId",
                "FileSystemPath",
                "DataRepositoryPath",
                "BatchImportMetaDataOnCreate",
                "ImportedFileChunkSize",
                "S3",
            ),
            **ctx.tagging(properties),
        )["Association"]
        ctx.identify(made["AssociationId"])
        return self._available(ctx, made["AssociationId"])

    def update(self, ctx: Context, physical_id: str, old: Properties, new: Properties) -> Created:
        fsx = ctx.client("fsx")
        parameters = {
            name: new[name]
            for name in ("ImportedFileChunkSize", "S3")
            if name in new and changed(old, new, name)
        }
        if parameters:
            fsx.update_data_repository_association(AssociationId=physical_id, **parameters)
        made = self._available(ctx, physical_id)
        retag(ctx, "fsx", old, new, ResourceARN=made.attributes["ResourceARN"])
        return made

    def delete(self, ctx: Context, physical_id: str, properties: Properties) -> None:
        delete_settled(
            ctx,
            lambda: _association(ctx, physical_id)["Lifecycle"],
            lambda: ctx.client("fsx").delete_data_repository_association(
                AssociationId=physical_id
            ),
            f"association {physical_id}",
        )

    def read(self, ctx: Context, physical_id: str, properties: Properties) -> Properties:
        found = _association(ctx, physical_id)
        return {name: found[name] for name in properties if name in found and name != "Tags"}

    def _available(self, ctx: Context, association_id: str) -> Created:
        found = _wait_available(
            ctx, lambda: _association(ctx, association_id), f"association {association_id}"
        )
        return Created(
            association_id,
            {"AssociationId": association_id, "ResourceARN": found["ResourceARN"]},
        )


class Volume(Handler):
    """``Ref`` is the volume's id. OpenZFS volumes only."""

    type_name = "AWS::FSx::Volume"
    unsupported_properties = frozenset({"BackupId", "OntapConfiguration"})

    def create(self, ctx: Context, properties: Properties) -> Created:
        made = ctx.client("fsx").create_volume(
            VolumeType=properties.get("VolumeType", "OPENZFS"),
            Name=properties["Name"],
            OpenZFSConfiguration=_openzfs(properties["OpenZFSConfiguration"]),
            **ctx.tagging(properties),
        )["Volume"]
        ctx.identify(made["VolumeId"])
        return self._created(made)

    def update(self, ctx: Context, physical_id: str, old: Properties, new: Properties) -> Created:
        fsx = ctx.client("fsx")
        configuration = {
            k: v
            for k, v in _openzfs(new["OpenZFSConfiguration"]).items()
            if k not in ("ParentVolumeId", "OriginSnapshot", "CopyTagsToSnapshots")
        }
        made = fsx.update_volume(
            VolumeId=physical_id, Name=new["Name"], OpenZFSConfiguration=configuration
        )["Volume"]
        arn = made["ResourceARN"]
        retag(ctx, "fsx", old, new, ResourceARN=arn)
        return self._created(made)

    def delete(self, ctx: Context, physical_id: str, properties: Properties) -> None:
        settings = pick(properties.get("OpenZFSConfiguration") or {}, "Options")
        delete_settled(
            ctx,
            lambda: self._found(ctx, physical_id)["Lifecycle"],
            lambda: ctx.client("fsx").delete_volume(
                VolumeId=physical_id, OpenZFSConfiguration=settings
            ),
            f"volume {physical_id}",
        )

    def _found(self, ctx: Context, volume_id: str) -> Mapping[str, Any]:
        answer = ctx.client("fsx").describe_volumes(VolumeIds=[volume_id])
        found: Mapping[str, Any] = answer["Volumes"][0]
        return found

    def _created(self, made: Mapping[str, Any]) -> Created:
        return Created(
            made["VolumeId"],
            {
                "VolumeId": made["VolumeId"],
                "ResourceARN": made["ResourceARN"],
                "UUID": made["VolumeId"].removeprefix("fsvol-"),
            },
        )


def _openzfs(configuration: Mapping[str, Any]) -> dict[str, Any]:
    # `Options` applies to the deletion of child volumes; it is not a parameter of the creation.
    return {k: v for k, v in configuration.items() if k != "Options"}


def _as_written(written: Mapping[str, Any], found: Mapping[str, Any]) -> dict[str, Any]:
    """The live values of what is written, without values that FSx sets itself.

    No call returns Options and RootVolumeConfiguration: those have no drift.
    """
    actual: dict[str, Any] = {}
    for key, value in written.items():
        live = found.get(key, value)
        nested = isinstance(value, Mapping) and isinstance(live, Mapping)
        actual[key] = _as_written(value, live) if nested else live
    return actual


def _file_system(ctx: Context, file_system_id: str) -> Mapping[str, Any]:
    answer = ctx.client("fsx").describe_file_systems(FileSystemIds=[file_system_id])
    found: Mapping[str, Any] = answer["FileSystems"][0]
    return found


def _association(ctx: Context, association_id: str) -> Mapping[str, Any]:
    answer = ctx.client("fsx").describe_data_repository_associations(
        AssociationIds=[association_id]
    )
    found: Mapping[str, Any] = answer["Associations"][0]
    return found


def _wait_available(
    ctx: Context, describe: Callable[[], Mapping[str, Any]], what: str
) -> Mapping[str, Any]:
    return ready(
        ctx,
        describe,
        what,
        status="Lifecycle",
        wanted="AVAILABLE",
        failure=lambda found: (found.get("FailureDetails") or {}).get("Message"),
    )
