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
    """A data repository association: links a path of the file system to a bucket."""

    s3: S3Uri
    """The bucket, or a prefix of it."""

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
    """Changes in the bucket that are imported."""

    export_events: Annotated[list[Event], Field(alias="export", max_length=3)] = []
    """Changes in the file system that are exported to the bucket."""

    import_metadata_on_create: bool = True
    """Import the metadata of existing objects when the association is created."""

    imported_file_chunk_mib: Annotated[int, Field(ge=1, le=512_000)] = 1024
    """Stripe size of imported files."""

    create: bool = False
    """false: an existing bucket, never modified. true: the bucket is created."""

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
    """Folders below `path` whose files are loaded in advance; `/` loads all files."""


class Metadata(Model):
    """Metadata servers of the file system."""

    mode: Literal["automatic", "provisioned"] = "automatic"
    """automatic: scales with the capacity. provisioned: set by `iops`."""

    iops: Size | None = None
    """Provisioned mode only: 1500, 3000, 6000, 12000, or a multiple of 12000."""


class ReadCache(Model):
    """SSD read cache of an Intelligent-Tiering file system."""

    mode: Literal["none", "provisioned", "proportional"] = "proportional"
    """proportional: scales with the throughput. provisioned: set by `capacity_gib`."""

    capacity_gib: Size | None = None
    """Provisioned mode only."""


class ExistingLustre(Model):
    """An existing file system, which is mounted and never modified."""

    id: Annotated[
        str,
        Field(pattern=formats.FILE_SYSTEM_ID.pattern, examples=[formats.FILE_SYSTEM_ID.example]),
    ]
    """The id of the file system, `fs-...`."""

    dns_name: FileSystemDns
    """As returned by FSx."""

    mount_name: Annotated[
        str,
        Field(
            pattern=formats.LUSTRE_MOUNT_NAME.pattern, examples=[formats.LUSTRE_MOUNT_NAME.example]
        ),
    ]
    """As returned by FSx."""

    security_group_id: SecurityGroupId
    """The security group of the file system, which must allow access by nodes; never modified."""


class Lustre(Model):
    """An FSx for Lustre file system, mounted on every node."""

    name: Name | None = None
    """Derived from the mount path if absent: `fsx` for `/fsx`."""

    mount_path: AbsolutePath = "/fsx"
    """Mount path on every node."""

    deployment_type: Literal["SCRATCH_1", "SCRATCH_2", "PERSISTENT_1", "PERSISTENT_2"] = (
        "PERSISTENT_2"
    )
    """SCRATCH does not replicate data. PERSISTENT replicates it and replaces failed file
    servers."""

    storage_type: Literal["SSD", "HDD", "INTELLIGENT_TIERING"] = "SSD"
    """HDD requires PERSISTENT_1, INTELLIGENT_TIERING requires PERSISTENT_2."""

    capacity_gib: Size | None = None
    """Not for Intelligent-Tiering, which grows automatically."""

    throughput_mbps_per_tib: Size | None = None
    """Throughput tier of a PERSISTENT file system, such as 125, 250, 500 or 1000."""

    throughput_mbps: Size | None = None
    """Intelligent-Tiering only: throughput of the whole file system."""

    efa: bool = False
    """Use EFA instead of TCP; only at creation, in the zone and the /16 range of the nodes."""

    metadata: Metadata | None = None
    """PERSISTENT_2 only."""

    read_cache: ReadCache | None = None
    """Intelligent-Tiering only."""

    hdd_read_cache: bool = False
    """HDD only: an SSD cache of 20 % of the capacity."""

    compression: Literal["none", "lz4"] = "lz4"
    """Compression of new data."""

    version: Literal["2.10", "2.12", "2.15"] = "2.15"
    """Lustre version, in quotes."""

    backup_retention_days: Annotated[int, Field(ge=0, le=90)] = 0
    """Retention of automatic backups; 0 disables them."""

    maintenance_window: Annotated[str, Field(pattern=formats.WEEKLY_TIME.pattern)] = "7:03:00"
    """Day of the week (1 is Monday), hour and minute in UTC."""

    repositories: Annotated[list[Repository], Field(max_length=8)] = []
    """Buckets linked to paths of the file system."""

    existing: ExistingLustre | None = None
    """An existing file system to mount instead of creating one."""


class Bucket(Model):
    """An S3 bucket in addition to the file systems."""

    name: BucketName
    """Name of the bucket; of a directory bucket, the part before `--<zone id>--x-s3`."""

    create: bool = False
    """false: an existing bucket, never modified. true: the bucket is created."""

    directory: bool = False
    """A directory bucket (S3 Express One Zone) in the zone of the nodes."""

    mount_path: AbsolutePath | None = None
    """Mount path for Mountpoint for S3, read-only: on nodes with Slurm, in pods on Kubernetes."""

    expire_noncurrent_days: Annotated[int, Field(ge=1, le=3650)] | None = None
    """Noncurrent versions are deleted after this time; only for a created bucket."""


class ImageRepository(Model):
    """A repository of the account's registry in Amazon ECR, for images that jobs run in.

    With one or more of them, nodes pull images of this account from these repositories only.
    """

    name: Annotated[
        str,
        Field(
            pattern=formats.IMAGE_REPOSITORY.pattern,
            min_length=2,
            max_length=256,
            examples=[formats.IMAGE_REPOSITORY.example],
        ),
    ]
    """Name of the repository, with its namespaces: `training` or `team/training`."""

    create: bool = False
    """false: an existing repository, never modified. true: the repository is created."""

    keep_images: Annotated[int, Field(ge=1, le=10_000)] = 100
    """Newest images that are kept; ECR deletes older ones. Only for a created repository."""


class ExistingHome(Model):
    """An existing OpenZFS file system, which is mounted and never modified."""

    dns_name: FileSystemDns
    """As returned by FSx."""

    security_group_id: SecurityGroupId
    """The security group of the file system, which must allow access by nodes; never modified."""

    volume_id: (
        Annotated[
            str, Field(pattern=formats.VOLUME_ID.pattern, examples=[formats.VOLUME_ID.example])
        ]
        | None
    ) = None
    """The id of the volume that ParallelCluster mounts; not used on other platforms."""


class Home(Model):
    """Home directories shared by all nodes."""

    kind: Literal["openzfs"]
    """FSx for OpenZFS."""

    mount_path: AbsolutePath = "/home"
    """Mount path on every node."""

    capacity_gib: Annotated[int, Field(ge=64, le=524_288)] | None = None
    """Size of the file system; required unless `existing`."""

    throughput_mbps: Literal[64, 128, 256, 512, 1024, 2048, 3072, 4096] = 128
    """Throughput of the file system."""

    backup_retention_days: Annotated[int, Field(ge=0, le=90)] = 7
    """Retention of automatic backups; 0 disables them."""

    existing: ExistingHome | None = None
    """An existing file system to mount instead of creating one."""


class Storage(Model):
    """File systems, buckets, repositories of images and home directories."""

    lustre: Annotated[list[Lustre], Field(max_length=16)] = []
    """FSx for Lustre file systems."""

    buckets: list[Bucket] = []
    """S3 buckets in addition to the file systems."""

    image_repositories: list[ImageRepository] = []
    """Repositories in Amazon ECR for images of jobs."""

    home: Home | None = None
    """Shared home directories; on the root volume of each node if absent."""

    checkpoint_path: AbsolutePath | None = None
    """Where jobs write checkpoints: on Lustre, scratch or home, not on a mounted bucket."""
