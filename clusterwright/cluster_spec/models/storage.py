"""File systems, buckets and home directories."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from clusterwright.cluster_spec.models import formats
from clusterwright.cluster_spec.models.base import (
    LARGEST_INTEGER,
    AbsolutePath,
    BucketName,
    FileSystemDns,
    Model,
    Name,
    S3Uri,
    SecurityGroupId,
)

Event = Literal["NEW", "CHANGED", "DELETED"]
Size = Annotated[int, Field(ge=1, le=LARGEST_INTEGER)]


class Repository(Model):
    """Ties a path of the file system to a bucket (a data repository association)."""

    s3: S3Uri
    """The bucket, or a prefix in it."""

    path: Annotated[
        str,
        Field(
            pattern=formats.FILE_SYSTEM_PATH.pattern,
            max_length=1024,
            examples=[formats.FILE_SYSTEM_PATH.example],
        ),
    ]
    """Path inside the file system."""

    import_events: Annotated[list[Event], Field(alias="import", max_length=3)] = []
    """What of the bucket's changes is brought in."""

    export_events: Annotated[list[Event], Field(alias="export", max_length=3)] = []
    """What of the file system's changes is written to the bucket."""

    import_metadata_on_create: bool = True
    """List what the bucket holds already when the association is made."""

    imported_file_chunk_mib: Annotated[int, Field(ge=1, le=512_000)] = 1024
    """Files are striped over servers in chunks of this size."""

    create: bool = False
    """False: the bucket exists and is never altered. True: the bucket is built."""

    preload: list[
        Annotated[
            str,
            Field(
                pattern=formats.FILE_SYSTEM_PATH.pattern,
                max_length=1024,
                examples=[formats.FILE_SYSTEM_PATH.example],
            ),
        ]
    ] = []
    """Folders below `path` whose files are loaded before anybody reads them; `/` is all of it."""


class Metadata(Model):
    """Metadata servers of the file system."""

    mode: Literal["automatic", "provisioned"] = "automatic"
    """automatic: grows with the capacity. provisioned: `iops` says."""

    iops: Size | None = None
    """Provisioned mode only: 1500, 3000, 6000, 12000, or a multiple of 12000."""


class ReadCache(Model):
    """SSD read cache of an Intelligent-Tiering file system."""

    mode: Literal["none", "provisioned", "proportional"] = "proportional"
    """proportional: grows with the throughput. provisioned: `capacity_gib` says."""

    capacity_gib: Size | None = None
    """Provisioned mode only."""


class ExistingLustre(Model):
    """A file system that somebody else owns: it is mounted, never altered."""

    id: Annotated[
        str,
        Field(pattern=formats.FILE_SYSTEM_ID.pattern, examples=[formats.FILE_SYSTEM_ID.example]),
    ]
    """The file system, `fs-...`."""

    dns_name: FileSystemDns
    """As FSx gives it."""

    mount_name: Annotated[
        str,
        Field(
            pattern=formats.LUSTRE_MOUNT_NAME.pattern, examples=[formats.LUSTRE_MOUNT_NAME.example]
        ),
    ]
    """As FSx gives it."""

    security_group_id: SecurityGroupId
    """The file system's group; nodes are let through to it, and it is not altered."""


class Lustre(Model):
    """An FSx for Lustre file system, mounted on every node."""

    name: Name | None = None
    """Defaults to the mount path's words: `/fsx` is `fsx`."""

    mount_path: AbsolutePath = "/fsx"
    """Where every node mounts it."""

    deployment_type: Literal["SCRATCH_1", "SCRATCH_2", "PERSISTENT_1", "PERSISTENT_2"] = (
        "PERSISTENT_2"
    )
    """SCRATCH keeps no second copy of anything. PERSISTENT replaces failed servers by itself."""

    storage_type: Literal["SSD", "HDD", "INTELLIGENT_TIERING"] = "SSD"
    """HDD is PERSISTENT_1, Intelligent-Tiering is PERSISTENT_2."""

    capacity_gib: Size | None = None
    """Not for Intelligent-Tiering, which grows by itself."""

    throughput_mbps_per_tib: Size | None = None
    """Throughput tier of a PERSISTENT file system, such as 125, 250, 500 or 1000."""

    throughput_mbps: Size | None = None
    """Intelligent-Tiering only: of the whole file system."""

    efa: bool = False
    """EFA instead of TCP; at creation only, in one zone and one /16 with the nodes."""

    metadata: Metadata | None = None
    """PERSISTENT_2 only."""

    read_cache: ReadCache | None = None
    """Intelligent-Tiering only."""

    hdd_read_cache: bool = False
    """HDD only: an SSD cache of a fifth of the capacity."""

    compression: Literal["none", "lz4"] = "lz4"
    """Compression of what is written."""

    version: Literal["2.10", "2.12", "2.15"] = "2.15"
    """Lustre version, in quotes."""

    backup_retention_days: Annotated[int, Field(ge=0, le=90)] = 0
    """How long automatic backups are kept; 0 makes none."""

    maintenance_window: Annotated[str, Field(pattern=formats.WEEKLY_TIME.pattern)] = "7:03:00"
    """Day of the week (1 is Monday) and UTC hour and minute."""

    repositories: Annotated[list[Repository], Field(max_length=8)] = []
    """Buckets behind paths of the file system."""

    existing: ExistingLustre | None = None
    """Mount this file system instead of building one."""


class Bucket(Model):
    """A bucket beside the file systems."""

    name: BucketName
    """Of a directory bucket, the part before `--<zone id>--x-s3`."""

    create: bool = False
    """False: the bucket exists and is never altered. True: the bucket is built."""

    directory: bool = False
    """S3 Express One Zone, in the nodes' zone."""

    mount_path: AbsolutePath | None = None
    """Mounted read-only with Mountpoint for S3: on nodes with Slurm, in jobs on Kubernetes."""

    expire_noncurrent_days: Annotated[int, Field(ge=1, le=3650)] | None = None
    """Old versions are deleted after this; only of a bucket that is built."""


class ExistingHome(Model):
    """An OpenZFS file system that somebody else owns: it is mounted, never altered."""

    dns_name: FileSystemDns
    """As FSx gives it."""

    security_group_id: SecurityGroupId
    """The file system's group; nodes are let through to it, and it is not altered."""

    volume_id: (
        Annotated[
            str, Field(pattern=formats.VOLUME_ID.pattern, examples=[formats.VOLUME_ID.example])
        ]
        | None
    ) = None
    """The file system's volume, by which ParallelCluster mounts it; not used elsewhere."""


class Home(Model):
    """Home directories, shared by all nodes."""

    kind: Literal["openzfs"]
    """FSx for OpenZFS."""

    mount_path: AbsolutePath = "/home"
    """Where every node mounts it."""

    capacity_gib: Annotated[int, Field(ge=64, le=524_288)] | None = None
    """Size of the file system; required unless `existing`."""

    throughput_mbps: Literal[64, 128, 256, 512, 1024, 2048, 3072, 4096] = 128
    """Throughput of the file system."""

    backup_retention_days: Annotated[int, Field(ge=0, le=90)] = 7
    """How long automatic backups are kept; 0 makes none."""

    existing: ExistingHome | None = None
    """Mount this file system instead of building one."""


class Storage(Model):
    """File systems, buckets and home directories."""

    lustre: Annotated[list[Lustre], Field(max_length=16)] = []
    """FSx for Lustre file systems; large clusters have several."""

    buckets: list[Bucket] = []
    """S3 buckets beside the file systems."""

    home: Home | None = None
    """Shared home directories; on each node's own disk if absent."""

    checkpoint_path: AbsolutePath | None = None
    """Where jobs write checkpoints: on Lustre, scratch or home, never on a bucket mount."""
