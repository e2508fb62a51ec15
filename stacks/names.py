"""Names that must be known before deployment, because IAM policies and scripts contain them."""

from __future__ import annotations

import hashlib

from clusterwright.platforms.hyperpod import LIFECYCLE_BUCKET_PREFIX
from clusterwright.spec.models.cluster import Cluster
from clusterwright.spec.models.storage import Bucket


def lifecycle_bucket(cluster: Cluster) -> str:
    """The bucket of the lifecycle scripts: `sagemaker-<environment>-<digest>`, up to 59 letters.

    Bucket names are shared by the whole world; the digest of account and region makes room.
    """
    digest = hashlib.sha256(f"{cluster.account}/{cluster.region}".encode()).hexdigest()[:8]
    return f"{LIFECYCLE_BUCKET_PREFIX}{cluster.environment}-{digest}"


def directory_bucket(bucket: Bucket, cluster: Cluster) -> str:
    """The whole name of a directory bucket: S3 Express wants the zone in it."""
    return f"{bucket.name}--{cluster.network.availability_zone_id}--x-s3"


def bucket_of(s3_uri: str) -> str:
    """`s3://bucket/prefix` → `bucket`."""
    return s3_uri.removeprefix("s3://").split("/", 1)[0]


def created_buckets(cluster: Cluster) -> dict[str, Bucket | None]:
    """General purpose buckets to build, by name, with their entry of `storage.buckets` or None.

    Several repositories may share one bucket, and a repository one with `storage.buckets`.
    """
    found: dict[str, Bucket | None] = {}
    for file_system in cluster.storage.lustre:
        for repository in file_system.repositories:
            if repository.create:
                found.setdefault(bucket_of(repository.s3))
    for bucket in cluster.storage.buckets:
        if bucket.create and not bucket.directory:
            found[bucket.name] = bucket
    return found
