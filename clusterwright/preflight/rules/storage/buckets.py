"""Existing buckets of a spec."""

from __future__ import annotations

from clusterwright.cluster_spec.problems import Path
from clusterwright.preflight.rule import Context


def repository_buckets(context: Context) -> dict[str, Path]:
    """Return the existing buckets of repositories, with the first path that names each."""
    found: dict[str, Path] = {}
    for index, fs in enumerate(context.cluster.storage.lustre):
        for number, repository in enumerate(fs.repositories):
            if not repository.create:
                path = ("storage", "lustre", index, "repositories", number, "s3")
                found.setdefault(repository.s3.removeprefix("s3://").partition("/")[0], path)
    return found


def existing_buckets(context: Context) -> dict[str, Path]:
    """Return every existing bucket; directory buckets with their S3 name."""
    found = repository_buckets(context)
    zone = context.cluster.network.availability_zone_id
    for index, bucket in enumerate(context.cluster.storage.buckets):
        if not bucket.create:
            name = f"{bucket.name}--{zone}--x-s3" if bucket.directory else bucket.name
            found.setdefault(name, ("storage", "buckets", index, "name"))
    return found
