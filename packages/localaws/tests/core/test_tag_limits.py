"""Tests of core.tag_limits."""

from __future__ import annotations

from typing import Any

import pytest

from packages.localaws.tests.parts import client, refusal

pytestmark = pytest.mark.usefixtures("aws")


def pairs(count: int, key: str = "Key", value: str = "Value") -> list[dict[str, str]]:
    return [{key: f"k{number}", value: "v"} for number in range(count)]


def mapped(count: int) -> dict[str, str]:
    return {f"k{number}": "v" for number in range(count)}


@pytest.mark.parametrize(
    ("service", "method", "given", "code"),
    [
        ("sns", "create_topic", {"Name": "t", "Tags": pairs(51)}, "TagLimitExceeded"),
        (
            "kms",
            "create_key",
            {"Tags": pairs(51, "TagKey", "TagValue")},
            "TagException",
        ),
        (
            "ssm",
            "put_parameter",
            {"Name": "p", "Value": "v", "Type": "String", "Tags": pairs(51)},
            "ValidationException",
        ),
        ("iam", "create_user", {"UserName": "u", "Tags": pairs(51)}, "ValidationError"),
        (
            "secretsmanager",
            "create_secret",
            {"Name": "s", "SecretString": "v", "Tags": pairs(51)},
            "LimitExceededException",
        ),
        (
            "ecr",
            "create_repository",
            {"repositoryName": "repo", "tags": pairs(51)},
            "TooManyTagsException",
        ),
        ("efs", "create_file_system", {"Tags": pairs(51)}, "ValidationException"),
    ],
)
def test_more_than_50_tags_are_refused(
    service: str, method: str, given: dict[str, Any], code: str
) -> None:
    assert refusal(getattr(client(service), method), **given)[0] == code


def test_50_tags_are_taken() -> None:
    arn = client("sns").create_topic(Name="t", Tags=pairs(50))["TopicArn"]
    assert len(client("sns").list_tags_for_resource(ResourceArn=arn)["Tags"]) == 50
    client("kms").create_key(Tags=pairs(50, "TagKey", "TagValue"))
    client("ecr").create_repository(repositoryName="repo", tags=pairs(50))


def test_tags_of_queues_are_not_limited() -> None:
    url = client("sqs").create_queue(QueueName="q", tags=mapped(50))["QueueUrl"]
    client("sqs").tag_queue(QueueUrl=url, Tags={"another": "v"})
    assert len(client("sqs").list_queue_tags(QueueUrl=url)["Tags"]) == 51


def test_tags_of_buckets() -> None:
    s3 = client("s3")
    s3.create_bucket(Bucket="one")
    s3.put_bucket_tagging(Bucket="one", Tagging={"TagSet": pairs(50)})
    assert refusal(s3.put_bucket_tagging, Bucket="one", Tagging={"TagSet": pairs(51)}) == (
        "BadRequest",
        "Bucket tag count cannot be greater than 50",
    )
