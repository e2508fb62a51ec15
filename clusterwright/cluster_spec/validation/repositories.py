"""Repositories of one file system share no path and no prefix, and say each event once.

Source: AWS documentation, FSx for Lustre, data repository associations.
"""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.models.storage import Lustre
from clusterwright.cluster_spec.problems import Path, Problem
from clusterwright.cluster_spec.validation.unique_names import within


def problems(cluster: Cluster) -> Iterator[Problem]:
    for index, file_system in enumerate(cluster.storage.lustre):
        here: Path = ("storage", "lustre", index, "repositories")
        yield from _events(file_system, here)
        yield from _overlaps(file_system, here)


def _events(fs: Lustre, here: Path) -> Iterator[Problem]:
    for index, repository in enumerate(fs.repositories):
        for key, events in (
            ("import", repository.import_events),
            ("export", repository.export_events),
        ):
            for position, event in enumerate(events):
                if event in events[:position]:
                    yield Problem(f"{event} is listed twice", (*here, index, key, position))


def _overlaps(fs: Lustre, here: Path) -> Iterator[Problem]:
    for index, one in enumerate(fs.repositories):
        for earlier, other in enumerate(fs.repositories[:index]):
            if within(one.path, other.path) or within(other.path, one.path):
                yield Problem(
                    f"{one.path} and {other.path} overlap: repositories share no files",
                    (*here, index, "path"),
                    other_path=(*here, earlier, "path"),
                )
            if within(one.s3, other.s3) or within(other.s3, one.s3):
                yield Problem(
                    f"{one.s3} and {other.s3} overlap in the bucket",
                    (*here, index, "s3"),
                    other_path=(*here, earlier, "s3"),
                )
