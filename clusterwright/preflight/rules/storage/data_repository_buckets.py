"""Existing buckets that new file systems use as data repositories."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from clusterwright.aws.fsx import FileSystem
from clusterwright.cluster_spec.models.storage import Repository
from clusterwright.preflight.rule import Context, Subjects
from clusterwright.preflight.rules.storage.buckets import repository_buckets


@dataclass(frozen=True)
class RepositoryBucket:
    """An existing bucket with every data repository in it."""

    name: str
    repositories: tuple[Repository, ...]


def buckets_with_repositories(context: Context) -> Subjects[RepositoryBucket]:
    """Every existing bucket with a data repository, at the path of its first use."""
    for name, path in repository_buckets(context).items():
        inside = tuple(
            repository
            for fs in context.cluster.storage.lustre
            for repository in fs.repositories
            if repository.s3.removeprefix("s3://").partition("/")[0] == name
        )
        yield path, RepositoryBucket(name, inside)


def prefix_of(repository: Repository) -> str:
    """The beginning of the keys of a repository's objects, without a slash at the end."""
    return repository.s3.removeprefix("s3://").partition("/")[2].strip("/")


def overlapping(one: str, other: str) -> bool:
    """Whether an object can begin with both prefixes."""
    return one.startswith(other) or other.startswith(one)


def own_lustre(context: Context, file_systems: Iterable[FileSystem]) -> tuple[str, ...]:
    """The ids of the Lustre file systems of this environment's stacks."""
    return tuple(
        fs.id for fs in file_systems if fs.kind == "LUSTRE" and context.stack_is_ours(fs.stack)
    )
