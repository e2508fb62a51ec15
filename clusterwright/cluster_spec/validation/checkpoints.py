"""The checkpoint path must be on a file system that can write and rename files."""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.problems import Path, Problem
from clusterwright.cluster_spec.validation.unique_names import within


def problems(cluster: Cluster) -> Iterator[Problem]:
    path = cluster.storage.checkpoint_path
    if path is None:
        return
    here = ("storage", "checkpoint_path")
    for index, bucket in enumerate(cluster.storage.buckets):
        if bucket.mount_path and within(path, bucket.mount_path):
            yield Problem(
                f"{path} is on the bucket mount {bucket.mount_path}: it is read-only, "
                "and saving a checkpoint requires renaming and changing files, which Mountpoint "
                "for "
                "S3 does not support",
                here,
                hint="save checkpoints on Lustre and export them to the bucket with a repository",
                other_path=("storage", "buckets", index, "mount_path"),
            )
            return
    places: list[tuple[Path, str]] = [
        (("storage", "lustre", i, "mount_path"), f.mount_path)
        for i, f in enumerate(cluster.storage.lustre)
    ]
    places += [
        (("compute", i, "scratch", "mount_path"), g.scratch.mount_path)
        for i, g in enumerate(cluster.compute)
        if g.scratch
    ]
    if cluster.storage.home:
        places.append((("storage", "home", "mount_path"), cluster.storage.home.mount_path))
    mounts = sorted({mount for _, mount in places})
    if not any(within(path, mount) for mount in mounts):
        yield Problem(
            f"{path} is not on a file system of the cluster",
            here,
            hint=f"mounted: {', '.join(mounts)}" if mounts else "add storage.lustre",
            rests_on=(("storage", "lustre"), ("storage", "home"), *(place for place, _ in places)),
        )
