"""FSx for Lustre: the file system, its data repository associations, and its mount.

The CDK's L2 construct supports neither EFA nor metadata servers, so this is the L1 resource.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import aws_cdk as cdk
from aws_cdk import aws_fsx as fsx
from constructs import Construct

from clusterwright.cluster_spec.models.storage import Lustre, Repository


@dataclass(frozen=True)
class LustreMount:
    """Values with which a node mounts a file system; tokens if it is created."""

    name: str
    file_system_id: str
    mount_path: str
    dns_name: str
    mount_name: str
    efa: bool


def lustre_outputs(mounts: Sequence[LustreMount]) -> dict[str, str]:
    """Outputs of file systems: `LustreDnsName`, `LustreDnsName2` of the second, and so on."""
    outputs = {}
    for index, mount in enumerate(mounts, start=1):
        suffix = "" if index == 1 else str(index)
        outputs[f"LustreFileSystemId{suffix}"] = mount.file_system_id
        outputs[f"LustreDnsName{suffix}"] = mount.dns_name
        outputs[f"LustreMountName{suffix}"] = mount.mount_name
    return outputs


class LustreFileSystem(Construct):
    """A created file system, with its associations."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        spec: Lustre,
        *,
        environment: str,
        subnet_id: str,
        security_group_ids: Sequence[str],
        key_arn: str,
        log_group_arn: str | None,
    ) -> None:
        super().__init__(scope, construct_id)
        self.resource = fsx.CfnFileSystem(
            self,
            "FileSystem",
            file_system_type="LUSTRE",
            file_system_type_version=spec.version,
            storage_type=spec.storage_type,
            storage_capacity=spec.capacity_gib,
            subnet_ids=[subnet_id],
            security_group_ids=list(security_group_ids),
            # FSx encrypts scratch file systems with its own key and accepts no other.
            kms_key_id=key_arn if spec.deployment_type.startswith("PERSISTENT") else None,
            lustre_configuration=_configuration(spec, log_group_arn),
            tags=[cdk.CfnTag(key="Name", value=f"{environment}-{spec.name}")],
        )
        self.associations = [
            _association(self, f"Repository{index}", self.resource, repository)
            for index, repository in enumerate(spec.repositories)
        ]
        # One after the other: of several at once some fail, because FSx has not got its permission
        # for their buckets yet (hashicorp/terraform-provider-aws#24678).
        for before, association in itertools.pairwise(self.associations):
            association.add_dependency(before)
        self.mount = LustreMount(
            name=str(spec.name),
            file_system_id=self.resource.attr_id,
            mount_path=spec.mount_path,
            dns_name=self.resource.attr_dns_name,
            mount_name=self.resource.attr_lustre_mount_name,
            efa=spec.efa,
        )


def existing_mount(spec: Lustre) -> LustreMount:
    """The mount of an existing file system."""
    assert spec.existing is not None
    return LustreMount(
        name=str(spec.name),
        file_system_id=spec.existing.id,
        mount_path=spec.mount_path,
        dns_name=spec.existing.dns_name,
        mount_name=spec.existing.mount_name,
        efa=spec.efa,
    )


def _configuration(
    spec: Lustre, log_group_arn: str | None
) -> fsx.CfnFileSystem.LustreConfigurationProperty:
    persistent = spec.deployment_type.startswith("PERSISTENT")
    second = spec.deployment_type == "PERSISTENT_2"
    return fsx.CfnFileSystem.LustreConfigurationProperty(
        deployment_type=spec.deployment_type,
        per_unit_storage_throughput=spec.throughput_mbps_per_tib,
        throughput_capacity=spec.throughput_mbps,
        # Set only for types that support it: others refuse the property, even if it is false.
        efa_enabled=spec.efa if second else None,
        metadata_configuration=_metadata(spec),
        data_read_cache_configuration=_read_cache(spec),
        drive_cache_type=(
            ("READ" if spec.hdd_read_cache else "NONE") if spec.storage_type == "HDD" else None
        ),
        data_compression_type=spec.compression.upper(),
        weekly_maintenance_start_time=spec.maintenance_window,
        automatic_backup_retention_days=spec.backup_retention_days if persistent else None,
        copy_tags_to_backups=True if spec.backup_retention_days else None,
        # Lustre logs only events of its repositories (FSx API, LogConfiguration).
        log_configuration=(
            fsx.CfnFileSystem.LogConfigurationProperty(
                level="WARN_ERROR", destination=log_group_arn
            )
            if log_group_arn is not None
            else None
        ),
    )


def _metadata(spec: Lustre) -> fsx.CfnFileSystem.MetadataConfigurationProperty | None:
    if spec.metadata is not None:
        mode, iops = spec.metadata.mode, spec.metadata.iops
        if mode == "automatic":
            return fsx.CfnFileSystem.MetadataConfigurationProperty(mode="AUTOMATIC")
        return fsx.CfnFileSystem.MetadataConfigurationProperty(mode="USER_PROVISIONED", iops=iops)
    # EFA needs a metadata configuration (FSx documentation, EFA-enabled file systems).
    if spec.efa and spec.storage_type != "INTELLIGENT_TIERING":
        return fsx.CfnFileSystem.MetadataConfigurationProperty(mode="AUTOMATIC")
    return None


def _read_cache(spec: Lustre) -> fsx.CfnFileSystem.DataReadCacheConfigurationProperty | None:
    if spec.storage_type != "INTELLIGENT_TIERING":
        return None
    cache = spec.read_cache
    if cache is None or cache.mode == "proportional":
        mode = "PROPORTIONAL_TO_THROUGHPUT_CAPACITY"
    else:
        mode = {"none": "NO_CACHE", "provisioned": "USER_PROVISIONED"}[cache.mode]
    return fsx.CfnFileSystem.DataReadCacheConfigurationProperty(
        sizing_mode=mode, size_gib=cache.capacity_gib if cache else None
    )


def _association(
    scope: Construct, construct_id: str, file_system: fsx.CfnFileSystem, spec: Repository
) -> fsx.CfnDataRepositoryAssociation:
    policies = fsx.CfnDataRepositoryAssociation
    return fsx.CfnDataRepositoryAssociation(
        scope,
        construct_id,
        file_system_id=file_system.attr_id,
        file_system_path=spec.path,
        data_repository_path=spec.s3,
        batch_import_meta_data_on_create=spec.import_metadata_on_create,
        imported_file_chunk_size=spec.imported_file_chunk_mib,
        s3=policies.S3Property(
            auto_import_policy=(
                policies.AutoImportPolicyProperty(events=list(spec.import_events))
                if spec.import_events
                else None
            ),
            auto_export_policy=(
                policies.AutoExportPolicyProperty(events=list(spec.export_events))
                if spec.export_events
                else None
            ),
        )
        if spec.import_events or spec.export_events
        else None,
    )
