"""File systems, buckets and home directories."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from clusterwright.spec.models.common import (
    AbsolutePath,
    BucketName,
    Model,
    Name,
    S3Uri,
    SecurityGroupId,
)

Event = Literal["NEW", "CHANGED", "DELETED"]


class Repository(Model):
    """Ties a path of the file system to a bucket (a data repository association)."""

    s3: S3Uri
    path: Annotated[str, Field(pattern=r"^/[A-Za-z0-9._/-]*$", max_length=1024)]
    """Path inside the file system."""

    import_events: Annotated[list[Event], Field(alias="import", max_length=3)] = []
    """What of the bucket's changes is brought in."""

    export_events: Annotated[list[Event], Field(alias="export", max_length=3)] = []
    """What of the file system's changes is written to the bucket."""

    import_metadata_on_create: bool = True
    imported_file_chunk_mib: Annotated[int, Field(ge=1, le=512_000)] = 1024
    create: bool = False
    """False: the bucket exists and is never altered. True: the bucket is built."""


class Metadata(Model):
    """Metadata servers of the file system."""

    mode: Literal["automatic", "provisioned"] = "automatic"
    iops: Annotated[int, Field(ge=1)] | None = None


class ReadCache(Model):
    """SSD read cache of an Intelligent-Tiering file system."""

    mode: Literal["none", "provisioned", "proportional"] = "proportional"
    capacity_gib: Annotated[int, Field(ge=1)] | None = None


class ExistingLustre(Model):
    """A file system that somebody else owns: it is mounted, never altered."""

    id: Annotated[str, Field(pattern=r"^fs-[0-9a-f]{8,17}$")]
    dns_name: Annotated[str, Field(pattern=r"^[a-z0-9.-]+$", max_length=253)]
    mount_name: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,32}$")]
    security_group_id: SecurityGroupId


class Lustre(Model):
    name: Name | None = None
    """Defaults to the mount path's words: `/fsx` is `fsx`."""

    mount_path: AbsolutePath = "/fsx"
    deployment_type: Literal["SCRATCH_1", "SCRATCH_2", "PERSISTENT_1", "PERSISTENT_2"] = "PERSISTENT_2"
    storage_type: Literal["SSD", "HDD", "INTELLIGENT_TIERING"] = "SSD"
    capacity_gib: Annotated[int, Field(ge=1)] | None = None
    """Not for Intelligent-Tiering, which grows by itself."""

    throughput_mbps_per_tib: Annotated[int, Field(ge=1)] | None = None
    throughput_mbps: Annotated[int, Field(ge=1)] | None = None
    """Intelligent-Tiering only: of the whole file system."""

    efa: bool = False
    metadata: Metadata | None = None
    read_cache: ReadCache | None = None
    hdd_read_cache: bool = False
    """HDD only: an SSD cache of a fifth of the capacity."""

    compression: Literal["none", "lz4"] = "lz4"
    version: Literal["2.10", "2.12", "2.15"] = "2.15"
    backup_retention_days: Annotated[int, Field(ge=0, le=90)] = 0
    maintenance_window: Annotated[str, Field(pattern=r"^[1-7]:([01]\d|2[0-3]):[0-5]\d$")] = "7:03:00"
    """Day of the week (1 is Monday) and UTC hour and minute."""

    repositories: Annotated[list[Repository], Field(max_length=8)] = []
    existing: ExistingLustre | None = None


class Bucket(Model):
    """A bucket beside the file systems."""

    name: BucketName
    """Of a directory bucket, the part before `--<zone id>--x-s3`."""

    create: bool = False
    """False: the bucket exists and is never altered. True: the bucket is built."""

    directory: bool = False
    """S3 Express One Zone, in the nodes' zone."""

    mount_path: AbsolutePath | None = None
    """Mounted read-only on every node with Mountpoint for S3."""

    expire_noncurrent_days: Annotated[int, Field(ge=1, le=3650)] | None = None
    """Old versions are deleted after this; only of a bucket that is built."""


class ExistingHome(Model):
    """An OpenZFS file system that somebody else owns: it is mounted, never altered."""

    dns_name: Annotated[str, Field(pattern=r"^[a-z0-9.-]+$", max_length=253)]
    security_group_id: SecurityGroupId


class Home(Model):
    """Home directories, shared by all nodes."""

    kind: Literal["openzfs"]
    mount_path: AbsolutePath = "/home"
    capacity_gib: Annotated[int, Field(ge=64, le=524_288)] | None = None
    throughput_mbps: Literal[64, 128, 256, 512, 1024, 2048, 3072, 4096] = 128
    backup_retention_days: Annotated[int, Field(ge=0, le=90)] = 7
    existing: ExistingHome | None = None


class Storage(Model):
    lustre: Annotated[list[Lustre], Field(max_length=16)] = []
    buckets: list[Bucket] = []
    home: Home | None = None
    checkpoint_path: AbsolutePath | None = None
    """Where jobs write checkpoints: on a Lustre file system, scratch or home, never on a bucket mount."""
