"""Buckets that exist and are linked to file systems that are built."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from clusterwright.aws.fsx import FileSystem
from clusterwright.cluster_spec.models.storage import Repository
from clusterwright.preflight.rule import Context, Subject
from clusterwright.preflight.rules.storage.buckets import repository_buckets


@dataclass(frozen=True)
class LinkedBucket:
    """A bucket with every repository that is in it."""

    name: str
    repositories: tuple[Repository, ...]


def linked_buckets(context: Context) -> Iterator[Subject[LinkedBucket]]:
    """Every bucket that exists and has a repository, where it is first named."""
    for name, path in repository_buckets(context).items():
        inside = tuple(
            repository
            for fs in context.cluster.storage.lustre
            for repository in fs.repositories
            if repository.s3.removeprefix("s3://").partition("/")[0] == name
        )
        yield Subject(path, LinkedBucket(name, inside))


def own_lustre(context: Context, file_systems: Iterable[FileSystem]) -> tuple[str, ...]:
    """Ids of the Lustre file systems that this environment's stacks built."""
    return tuple(
        fs.id for fs in file_systems if fs.kind == "LUSTRE" and context.stack_is_ours(fs.stack)
    )
