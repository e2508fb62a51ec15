"""Repositories, whether they hold images, and single images."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from botocore.stub import Stubber

from clusterwright.aws import ecr
from clusterwright.aws.errors import AwsUnavailable
from clusterwright.aws.session import AwsSession

DIGEST = f"sha256:{'0' * 64}"
ASKED: tuple[Any, ...] = ("444455556666", "us-west-2", "ml/training", DIGEST)


@pytest.fixture
def stub(session: AwsSession) -> Iterator[Stubber]:
    with Stubber(session.client("ecr")) as stub:
        yield stub


def test_repositories_with_a_prefix(session: AwsSession, stub: Stubber) -> None:
    found = [{"repositoryName": name} for name in ("cdk-a", "tools", "cdk-b")]
    stub.add_response("describe_repositories", {"repositories": found}, {})
    assert ecr.repository_names(session, "cdk-") == ("cdk-a", "cdk-b")


def test_repository_by_its_name(session: AwsSession, stub: Stubber) -> None:
    found = [{"repositoryArn": "arn:aws:ecr:us-east-1:111122223333:repository/tools"}]
    stub.add_response(
        "describe_repositories", {"repositories": found}, {"repositoryNames": ["tools"]}
    )
    stub.add_client_error("describe_repositories", "RepositoryNotFoundException")
    assert ecr.repository_arn(session, "tools") == found[0]["repositoryArn"]
    assert ecr.repository_arn(session, "other") is None


@pytest.mark.parametrize("answer", [{}, {"imageIds": [{"imageTag": "a"}]}])
def test_repository_holds_images(
    answer: dict[str, Any], session: AwsSession, stub: Stubber
) -> None:
    stub.add_response("list_images", answer, {"repositoryName": "tools"})
    assert ecr.holds_images(session, "tools") is bool(answer)


def test_missing_repository_is_none(session: AwsSession, stub: Stubber) -> None:
    stub.add_client_error("list_images", "RepositoryNotFoundException")
    assert ecr.holds_images(session, "tools") is None


@pytest.mark.parametrize(
    ("images", "size"),
    [
        ([{"imageDigest": DIGEST, "imageSizeInBytes": 7}], 7),
        ([{"imageDigest": DIGEST}], 0),
        ([{"imageDigest": "sha256:other", "imageSizeInBytes": 7}], None),
    ],
)
def test_size_is_that_of_the_digest(
    session: AwsSession, images: list[dict[str, Any]], size: int | None
) -> None:
    with Stubber(session.client("ecr", "us-west-2")) as stub:
        expected = {
            "registryId": "444455556666",
            "repositoryName": "ml/training",
            "imageIds": [{"imageDigest": DIGEST}],
        }
        stub.add_response("describe_images", {"imageDetails": images}, expected)
        assert ecr.image_size_bytes(session, *ASKED) == size


@pytest.mark.parametrize("code", ["ImageNotFoundException", "RepositoryNotFoundException"])
def test_absence_is_an_answer(session: AwsSession, code: str) -> None:
    with Stubber(session.client("ecr", "us-west-2")) as stub:
        stub.add_client_error("describe_images", code)
        assert ecr.image_size_bytes(session, *ASKED) is None


def test_denied_registry_is_unknown(session: AwsSession) -> None:
    with Stubber(session.client("ecr", "us-west-2")) as stub:
        stub.add_client_error("describe_images", "AccessDeniedException")
        with pytest.raises(AwsUnavailable, match="lacks ecr:DescribeImages"):
            ecr.image_size_bytes(session, *ASKED)
