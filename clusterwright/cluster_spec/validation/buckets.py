"""Buckets: names, creation, and settings of general purpose and directory buckets.

Source: AWS documentation, directory buckets: names end in --<zone id>--x-s3, and FSx for
Lustre cannot link a data repository to them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.problems import Path, Problem

DIRECTORY_SUFFIX = "--x-s3"
LONGEST_NAME = 63
"""Maximum length with zone and suffix (S3 user guide, directory bucket naming rules)."""

_ADDRESS = re.compile(r"[0-9]{1,3}(\.[0-9]{1,3}){3}")


def problems(cluster: Cluster) -> Iterator[Problem]:
    yield from _consistent_creation(cluster)
    yield from _names(cluster)
    for index, bucket in enumerate(cluster.storage.buckets):
        here: Path = ("storage", "buckets", index)
        if bucket.directory and bucket.mount_path is not None and not cluster.uses_kubernetes:
            yield Problem(
                "mounting a directory bucket is not supported on nodes with Slurm",
                (*here, "mount_path"),
                hint="read it with an SDK in jobs, or use a platform with Kubernetes",
                other_path=(*here, "directory"),
            )
        if bucket.expire_noncurrent_days is not None and (bucket.directory or not bucket.create):
            yield Problem(
                "expire_noncurrent_days requires a general purpose bucket with create: true",
                (*here, "expire_noncurrent_days"),
                other_path=(*here, "directory" if bucket.directory else "create"),
            )


def _names(cluster: Cluster) -> Iterator[Problem]:
    names: list[tuple[Path, str, bool]] = [
        (("storage", "buckets", index, "name"), bucket.name, bucket.directory)
        for index, bucket in enumerate(cluster.storage.buckets)
    ]
    names += [
        (("storage", "lustre", i, "repositories", j, "s3"), _bucket_of(repository.s3), False)
        for i, file_system in enumerate(cluster.storage.lustre)
        for j, repository in enumerate(file_system.repositories)
    ]
    for path, name, directory in names:
        if directory:
            whole = f"{name}--{cluster.network.availability_zone_id}{DIRECTORY_SUFFIX}"
            if len(whole) > LONGEST_NAME:
                yield Problem(
                    f"{whole} has {len(whole)} characters; S3 allows at most {LONGEST_NAME}",
                    path,
                    hint=f"use at most {LONGEST_NAME - len(whole) + len(name)} characters",
                    other_path=(*path[:-1], "directory"),
                )
        if directory and "." in name:
            yield Problem(
                "the name of a directory bucket must not contain dots",
                path,
                other_path=(*path[:-1], "directory"),
            )
        if ".." in name or _ADDRESS.fullmatch(name):
            yield Problem(f"{name} is not a valid S3 bucket name", path)
        if not name.endswith(DIRECTORY_SUFFIX):
            continue
        if path[-1] == "s3":
            yield Problem(
                "FSx for Lustre does not support directory buckets as data repositories",
                path,
                hint="use a general purpose bucket; jobs can read the directory bucket directly",
            )
        else:
            base = name.removesuffix(DIRECTORY_SUFFIX).rpartition("--")[0]
            yield Problem(
                "the zone id and --x-s3 are appended to the name of a directory bucket "
                "automatically",
                path,
                hint=f"name: {base or '...'} with directory: true",
            )


def _consistent_creation(cluster: Cluster) -> Iterator[Problem]:
    uses: list[tuple[Path, str, str, bool]] = [
        (("storage", "buckets", i), "name", b.name, b.create)
        for i, b in enumerate(cluster.storage.buckets)
        if not b.directory
    ]
    uses += [
        (("storage", "lustre", i, "repositories", j), "s3", _bucket_of(r.s3), r.create)
        for i, file_system in enumerate(cluster.storage.lustre)
        for j, r in enumerate(file_system.repositories)
    ]
    first: dict[str, tuple[Path, Path, bool]] = {}
    for path, key, name, create in uses:
        named: Path = (*path, key)
        if name in first and first[name][2] != create:
            yield Problem(
                f"the bucket {name} has different values of `create`",
                (*path, "create"),
                other_path=first[name][0],
                rests_on=(named, first[name][1]),
            )
        first.setdefault(name, ((*path, "create"), named, create))


def _bucket_of(uri: str) -> str:
    return uri.removeprefix("s3://").partition("/")[0]
