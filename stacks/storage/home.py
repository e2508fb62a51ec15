"""Home directories on FSx for OpenZFS."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import aws_cdk as cdk
from aws_cdk import aws_fsx as fsx
from constructs import Construct

from clusterwright.cluster_spec.models.storage import Home

ROOT_VOLUME = "/fsx"
"""Where every OpenZFS file system exports its root volume (FSx documentation, mounting)."""


@dataclass(frozen=True)
class HomeMount:
    """What a node needs to mount the home directories; a token where they are built."""

    mount_path: str
    dns_name: str
    volume_path: str = ROOT_VOLUME
    volume_id: str | None = None
    """Of the root volume, where the file system is built."""


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
                # The type whose throughputs the spec offers (FSx API, ThroughputCapacity).
                deployment_type="SINGLE_AZ_1",
                throughput_capacity=spec.throughput_mbps,
                automatic_backup_retention_days=spec.backup_retention_days,
                copy_tags_to_backups=True if spec.backup_retention_days else None,
                copy_tags_to_volumes=True,
                # Without it a file system with a snapshot cannot be deleted with its stack.
                options=["DELETE_CHILD_VOLUMES_AND_SNAPSHOTS"],
                root_volume_configuration=fsx.CfnFileSystem.RootVolumeConfigurationProperty(
                    data_compression_type="LZ4",
                    nfs_exports=[
                        fsx.CfnFileSystem.NfsExportsProperty(
                            client_configurations=[
                                fsx.CfnFileSystem.ClientConfigurationsProperty(
                                    clients=client,
                                    # Nodes make home directories as root.
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
    """How to mount home directories that somebody else owns."""
    assert spec.existing is not None
    return HomeMount(spec.mount_path, spec.existing.dns_name)
