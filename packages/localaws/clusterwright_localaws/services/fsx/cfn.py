"""FSx: file systems (Lustre and OpenZFS), data repository associations, OpenZFS volumes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from clusterwright_localaws.cloudformation.handler import (
    Context,
    Created,
    Handler,
    HandlerFailure,
    Properties,
)
from clusterwright_localaws.cloudformation.handler_helpers import changed, pick, retag

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
_BUSY = frozenset({"CREATING", "UPDATING", "PENDING"})


class FileSystem(Handler):
    """``Ref`` is the file system's id."""

    type_name = "AWS::FSx::FileSystem"
    unsupported_properties = frozenset({"BackupId", "WindowsConfiguration", "OntapConfiguration"})

    def create(self, ctx: Context, properties: Properties) -> Created:
        parameters = pick(properties, *_CREATE)
        if "OpenZFSConfiguration" in properties:
            parameters["OpenZFSConfiguration"] = _openzfs(properties["OpenZFSConfiguration"])
        tags = ctx.tags(properties.get("Tags"))
        made = ctx.client("fsx").create_file_system(
            **parameters, **({"Tags": tags} if tags else {})
        )["FileSystem"]
        ctx.identify(made["FileSystemId"])
        return self._available(ctx, made["FileSystemId"])

    def update(self, ctx: Context, physical_id: str, old: Properties, new: Properties) -> Created:
        fsx = ctx.client("fsx")
        _settle(ctx, physical_id)
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
        _retag(ctx, made, old, new)
        return made

    def delete(self, ctx: Context, physical_id: str, properties: Properties) -> None:
        fsx = ctx.client("fsx")
        _settle(ctx, physical_id)
        if _file_system(ctx, physical_id)["Lifecycle"] != "DELETING":
            openzfs = properties.get("OpenZFSConfiguration")
            # No final backup, so that a deleted stack leaves nothing. AWS does not document
            # whether its handler creates one.
            settings = {"SkipFinalBackup": True, **pick(openzfs or {}, "Options")}
            fsx.delete_file_system(
                FileSystemId=physical_id, **({"OpenZFSConfiguration": settings} if openzfs else {})
            )
        _wait_gone(
            ctx,
            lambda: fsx.describe_file_systems(FileSystemIds=[physical_id]),
            "FileSystemNotFound",
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
                actual[name] = {k: found[name][k] for k in written if k in found[name]}
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
        attributes = {
            "Id": file_system_id,
            "DNSName": found["DNSName"],
            "ResourceARN": found["ResourceARN"],
        }
        lustre = found.get("LustreConfiguration")
        if lustre:
            attributes["LustreMountName"] = lustre["MountName"]
        openzfs = found.get("OpenZFSConfiguration")
        if openzfs:
            attributes["RootVolumeId"] = openzfs["RootVolumeId"]
        return Created(file_system_id, attributes)


class DataRepositoryAssociation(Handler):
    """``Ref`` is the association's id."""

    type_name = "AWS::FSx::DataRepositoryAssociation"

    def create(self, ctx: Context, properties: Properties) -> Created:
        tags = ctx.tags(properties.get("Tags"))
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
            **({"Tags": tags} if tags else {}),
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
        _retag(ctx, made, old, new)
        return made

    def delete(self, ctx: Context, physical_id: str, properties: Properties) -> None:
        fsx = ctx.client("fsx")
        fsx.delete_data_repository_association(AssociationId=physical_id)
        _wait_gone(
            ctx,
            lambda: fsx.describe_data_repository_associations(AssociationIds=[physical_id]),
            "DataRepositoryAssociationNotFound",
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
        tags = ctx.tags(properties.get("Tags"))
        made = ctx.client("fsx").create_volume(
            VolumeType=properties.get("VolumeType", "OPENZFS"),
            Name=properties["Name"],
            OpenZFSConfiguration=_openzfs(properties["OpenZFSConfiguration"]),
            **({"Tags": tags} if tags else {}),
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
        retag(
            ctx,
            old,
            new,
            add=lambda tags: fsx.tag_resource(ResourceARN=arn, Tags=tags),
            remove=lambda keys: fsx.untag_resource(ResourceARN=arn, TagKeys=keys),
        )
        return self._created(made)

    def delete(self, ctx: Context, physical_id: str, properties: Properties) -> None:
        fsx = ctx.client("fsx")
        found = self._found(ctx, physical_id)
        ctx.wait(
            lambda: self._found(ctx, physical_id)["Lifecycle"] not in _BUSY,
            what=f"volume {physical_id} to settle",
        )
        if found["Lifecycle"] != "DELETING":
            settings = pick(properties.get("OpenZFSConfiguration") or {}, "Options")
            fsx.delete_volume(VolumeId=physical_id, OpenZFSConfiguration=settings)
        _wait_gone(
            ctx,
            lambda: fsx.describe_volumes(VolumeIds=[physical_id]),
            "VolumeNotFound",
            f"volume {physical_id}",
        )

    def _found(self, ctx: Context, volume_id: str) -> Mapping[str, Any]:
        answer = ctx.client("fsx").describe_volumes(VolumeIds=[volume_id])
        found: Mapping[str, Any] = answer["Volumes"][0]
        return found

    def _available(self, ctx: Context, volume_id: str) -> Mapping[str, Any]:
        return _wait_available(ctx, lambda: self._found(ctx, volume_id), f"volume {volume_id}")

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


def _file_system(ctx: Context, file_system_id: str) -> Mapping[str, Any]:
    answer = ctx.client("fsx").describe_file_systems(FileSystemIds=[file_system_id])
    found: Mapping[str, Any] = answer["FileSystems"][0]
    return found


def _settle(ctx: Context, file_system_id: str) -> None:
    """Wait for a running change, as after a cancelled operation: FSx refuses until then."""
    ctx.wait(
        lambda: _file_system(ctx, file_system_id)["Lifecycle"] not in _BUSY,
        what=f"file system {file_system_id} to settle",
    )


def _association(ctx: Context, association_id: str) -> Mapping[str, Any]:
    answer = ctx.client("fsx").describe_data_repository_associations(
        AssociationIds=[association_id]
    )
    found: Mapping[str, Any] = answer["Associations"][0]
    return found


def _wait_available(
    ctx: Context, describe: Callable[[], Mapping[str, Any]], what: str
) -> Mapping[str, Any]:
    found: dict[str, Any] = {}

    def done() -> bool:
        found.clear()
        found.update(describe())
        return found["Lifecycle"] not in _BUSY

    ctx.wait(done, what=f"{what} to be AVAILABLE")
    if found["Lifecycle"] != "AVAILABLE":
        details = (found.get("FailureDetails") or {}).get("Message")
        raise HandlerFailure(details or f"{what} is {found['Lifecycle']}", "NotStabilized")
    return found


def _retag(ctx: Context, made: Created, old: Properties, new: Properties) -> None:
    fsx = ctx.client("fsx")
    arn = made.attributes["ResourceARN"]
    retag(
        ctx,
        old,
        new,
        add=lambda tags: fsx.tag_resource(ResourceARN=arn, Tags=tags),
        remove=lambda keys: fsx.untag_resource(ResourceARN=arn, TagKeys=keys),
    )


def _wait_gone(ctx: Context, describe: Callable[[], object], not_found: str, what: str) -> None:
    from botocore.exceptions import ClientError

    def gone() -> bool:
        try:
            describe()
        except ClientError as error:
            if error.response["Error"]["Code"] == not_found:
                return True
            raise
        return False

    ctx.wait(gone, what=f"{what} to be deleted")
