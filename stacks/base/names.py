"""Names that are fixed before deployment, because IAM policies and scripts contain them."""

from __future__ import annotations

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.models.storage import Bucket
from clusterwright.platforms.derived_names import bucket_name
from clusterwright.platforms.hyperpod.instance_groups import lifecycle_bucket

__all__ = ["directory_bucket", "lifecycle_bucket"]


def directory_bucket(bucket: Bucket, cluster: Cluster) -> str:
    """The full name of a directory bucket: S3 Express requires the zone in it."""
    return bucket_name(bucket, cluster)


def bucket_of(s3_uri: str) -> str:
    """`s3://bucket/prefix` → `bucket`."""
    return s3_uri.removeprefix("s3://").split("/", 1)[0]


def created_buckets(cluster: Cluster) -> dict[str, Bucket | None]:
    """General purpose buckets to create, by name, with their entry of `storage.buckets` or None.

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
