"""Checkpoints go where a file can be written, flushed and renamed."""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.spec.consistency.identifiers import within
from clusterwright.spec.models.cluster import Cluster
from clusterwright.spec.problems import Problem


def problems(cluster: Cluster) -> Iterator[Problem]:
    path = cluster.storage.checkpoint_path
    if path is None:
        return
    here = ("storage", "checkpoint_path")
    for index, bucket in enumerate(cluster.storage.buckets):
        if bucket.mount_path and within(path, bucket.mount_path):
            yield Problem(
                f"{path} is on the bucket mount {bucket.mount_path}: it is read-only, "
                "and Mountpoint for S3 neither renames files nor changes them in place, "
                "which saving a checkpoint needs",
                here,
                hint="put checkpoints on Lustre and export them to the bucket with a repository",
                other_path=("storage", "buckets", index, "mount_path"),
            )
            return
    places = [f.mount_path for f in cluster.storage.lustre]
    places += [g.scratch.mount_path for g in cluster.compute if g.scratch]
    if cluster.storage.home:
        places.append(cluster.storage.home.mount_path)
    if not any(within(path, place) for place in places):
        yield Problem(
            f"{path} is on no file system of this cluster",
            here,
            hint=f"mounted are {', '.join(sorted(set(places)))}"
            if places
            else "add storage.lustre",
        )
