"""ECR repositories and the images that they hold."""

from __future__ import annotations

from clusterwright.aws.errors import none_if_not_found
from clusterwright.aws.session import AwsSession


def repository_names(session: AwsSession, prefix: str) -> tuple[str, ...]:
    """Return the names of the account's repositories in the region that begin with `prefix`."""
    found = session.items("ecr", "DescribeRepositories", "repositories")
    names = (str(repository["repositoryName"]) for repository in found)
    return tuple(name for name in names if name.startswith(prefix))


@none_if_not_found("RepositoryNotFoundException")
def repository_arn(session: AwsSession, name: str) -> str | None:
    """Return the ARN of a repository of the account; None if there is none of that name."""
    found = session.items("ecr", "DescribeRepositories", "repositories", repositoryNames=[name])
    return next((str(repository["repositoryArn"]) for repository in found), None)


@none_if_not_found("RepositoryNotFoundException")
def holds_images(session: AwsSession, name: str) -> bool | None:
    """Return whether a repository has an image; ECR then refuses to delete it without `force`.

    None where the repository does not exist.
    """
    pages = session.pages("ecr", "ListImages", repositoryName=name)
    return any(page.get("imageIds") for page in pages)


@none_if_not_found("ImageNotFoundException", "RepositoryNotFoundException")
def image_size_bytes(
    session: AwsSession, account: str, region: str, repository: str, digest: str
) -> int | None:
    """Return the compressed size of an image, 0 if ECR does not state it (an image index).

    None if the registry of `account` has no such repository or image.
    """
    found = session.call(
        "ecr",
        "DescribeImages",
        region=region,
        registryId=account,
        repositoryName=repository,
        imageIds=[{"imageDigest": digest}],
    )["imageDetails"]
    for image in found:
        if image["imageDigest"] == digest:
            return int(image.get("imageSizeInBytes") or 0)
    return None
