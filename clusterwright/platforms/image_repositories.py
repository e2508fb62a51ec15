"""Repositories of the account's registry in Amazon ECR: addresses, and which nodes pull from."""

from __future__ import annotations

from clusterwright.cluster_spec.models.cluster import Cluster


def registry(cluster: Cluster) -> str:
    """The registry of the account in the cluster's region."""
    suffix = "amazonaws.com.cn" if cluster.partition == "aws-cn" else "amazonaws.com"
    return f"{cluster.account}.dkr.ecr.{cluster.region}.{suffix}"


def repository_uri(cluster: Cluster, name: str) -> str:
    """The address of a repository, without tag or digest."""
    return f"{registry(cluster)}/{name}"


def pulled_repositories(cluster: Cluster) -> tuple[str, ...]:
    """Names of the account's repositories that nodes may pull from; `*` if the spec has none."""
    return tuple(r.name for r in cluster.storage.image_repositories) or ("*",)


def repository_of_image(cluster: Cluster, image: str) -> str | None:
    """The repository for an image that `render images` writes, by the last part of its name.

    `pytorch` and `team/pytorch` are for the image `pytorch`; None without one.
    """
    for repository in cluster.storage.image_repositories:
        if repository.name.rpartition("/")[2] == image:
            return repository.name
    return None


def with_registry(cluster: Cluster, image: str) -> str:
    """An image with the account's registry, if it names only a repository of the spec."""
    name = image.partition("@")[0].partition(":")[0]
    known = {repository.name for repository in cluster.storage.image_repositories}
    return f"{registry(cluster)}/{image}" if name in known else image


def unlisted_repository(cluster: Cluster, image: str) -> str | None:
    """The repository of an image of this account from which nodes may not pull; else None."""
    known = {repository.name for repository in cluster.storage.image_repositories}
    prefix = f"{registry(cluster)}/"
    if not known or not image.startswith(prefix):
        return None
    name = image.removeprefix(prefix).partition("@")[0].partition(":")[0]
    return None if name in known else name
