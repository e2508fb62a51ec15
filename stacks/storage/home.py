"""Home directories on FSx for OpenZFS."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import aws_cdk as cdk
from aws_cdk import aws_fsx as fsx
from constructs import Construct

from clusterwright.cluster_spec.models.storage import Home

ROOT_VOLUME = "/fsx"
"""The export path of the root volume of every OpenZFS file system (FSx documentation)."""


@dataclass(frozen=True)
class HomeMount:
    """Values with which a node mounts the home directories; tokens if they are created."""

    mount_path: str
    dns_name: str
    volume_path: str = ROOT_VOLUME
    volume_id: str | None = None
    """The id of the root volume, if the file system is created."""


class HomeDirectories(Construct):
    """An OpenZFS file system in the training zone."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        spec: Home,
        *,
        environment: str,
        subnet_id: str,
        security_group_ids: Sequence[str],
        client_ranges: Sequence[str],
        key_arn: str,
    ) -> None:
        super().__init__(scope, construct_id)
        self.resource = fsx.CfnFileSystem(
            self,
            "FileSystem",
            file_system_type="OPENZFS",
            storage_type="SSD",
            storage_capacity=spec.capacity_gib,
            subnet_ids=[subnet_id],
            security_group_ids=list(security_group_ids),
            kms_key_id=key_arn,
            open_zfs_configuration=fsx.CfnFileSystem.OpenZFSConfigurationProperty(
                # The deployment type with the throughputs of the spec (FSx API,
                # ThroughputCapacity).
                deployment_type="SINGLE_AZ_1",
                throughput_capacity=spec.throughput_mbps,
                automatic_backup_retention_days=spec.backup_retention_days,
                copy_tags_to_backups=True if spec.backup_retention_days else None,
                copy_tags_to_volumes=True,
                # Otherwise a file system with a snapshot cannot be deleted with its stack.
                options=["DELETE_CHILD_VOLUMES_AND_SNAPSHOTS"],
                root_volume_configuration=fsx.CfnFileSystem.RootVolumeConfigurationProperty(
                    data_compression_type="LZ4",
                    nfs_exports=[
                        fsx.CfnFileSystem.NfsExportsProperty(
                            client_configurations=[
                                fsx.CfnFileSystem.ClientConfigurationsProperty(
                                    clients=client,
                                    # Nodes create home directories as root.
                                    options=["rw", "crossmnt", "no_root_squash"],
                                )
                                for client in client_ranges
                            ]
                        )
                    ],
                ),
            ),
            tags=[cdk.CfnTag(key="Name", value=f"{environment}-home")],
        )
        self.mount = HomeMount(
            spec.mount_path,
            self.resource.attr_dns_name,
            volume_id=self.resource.attr_root_volume_id,
        )


def existing_home(spec: Home) -> HomeMount:
    """The mount of existing home directories."""
    assert spec.existing is not None
    return HomeMount(spec.mount_path, spec.existing.dns_name)
