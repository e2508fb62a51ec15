"""Data repositories of a file system: overlapping paths and duplicate events.

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
    for index, repository in enumerate(fs.repositories):
        for earlier, other in enumerate(fs.repositories[:index]):
            if within(repository.path, other.path) or within(other.path, repository.path):
                yield Problem(
                    f"{repository.path} and {other.path} overlap: repositories cannot share files",
                    (*here, index, "path"),
                    other_path=(*here, earlier, "path"),
                )
            if within(repository.s3, other.s3) or within(other.s3, repository.s3):
                yield Problem(
                    f"{repository.s3} and {other.s3} overlap in the bucket",
                    (*here, index, "s3"),
                    other_path=(*here, earlier, "s3"),
                )
