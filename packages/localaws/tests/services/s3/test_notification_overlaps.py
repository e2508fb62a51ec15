"""Tests of services.s3.notification_overlaps."""

from __future__ import annotations

from typing import Any

import pytest

from packages.localaws.tests.parts import client, refusal

pytestmark = pytest.mark.usefixtures("aws")
AMBIGUOUS = (
    "InvalidArgument",
    "Configuration is ambiguously defined. Cannot have overlapping suffixes in two rules if the "
    "prefixes are overlapping for the same event type.",
)
PUT = "s3:ObjectCreated:Put"
CREATED = "s3:ObjectCreated:*"
REMOVED = "s3:ObjectRemoved:*"


def put(*given: tuple[str, str, str], names: bool = False) -> Any:
    """Return a call that puts configurations of an event, a prefix and a suffix, to two queues."""
    s3, sqs = client("s3"), client("sqs")
    s3.create_bucket(Bucket="one")
    configurations = []
    for number, (event, prefix, suffix) in enumerate(given):
        url = sqs.create_queue(QueueName=f"q{number}")["QueueUrl"]
        arn = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])
        rules = [
            {"Name": name, "Value": value}
            for name, value in (("Prefix", prefix), ("Suffix", suffix))
            if value
        ]
        configurations.append(
            {
                "QueueArn": arn["Attributes"]["QueueArn"],
                "Events": [event],
                **({"Filter": {"Key": {"FilterRules": rules}}} if rules else {}),
                **({"Id": "same"} if names else {}),
            }
        )
    return lambda: s3.put_bucket_notification_configuration(
        Bucket="one", NotificationConfiguration={"QueueConfigurations": configurations}
    )


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ((CREATED, "", ""), (CREATED, "", "")),
        ((CREATED, "", ""), (PUT, "images/", ".jpg")),
        ((PUT, "images", ""), (CREATED, "images/new", "")),
        ((CREATED, "images/", "jpg"), (CREATED, "images/", ".jpg")),
        # A key may have the prefix of the one and the suffix of the other.
        ((CREATED, "images/", ""), (CREATED, "", ".jpg")),
    ],
)
def test_overlaps_are_refused(one: tuple[str, str, str], other: tuple[str, str, str]) -> None:
    assert refusal(put(one, other)) == AMBIGUOUS


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ((CREATED, "", ""), (REMOVED, "", "")),
        ((CREATED, "images/", ""), (CREATED, "logs/", "")),
        ((CREATED, "images/", ".jpg"), (CREATED, "images/", ".png")),
        ((PUT, "", ""), ("s3:ObjectCreated:Copy", "", "")),
    ],
)
def test_others_are_taken(one: tuple[str, str, str], other: tuple[str, str, str]) -> None:
    put(one, other)()
    found = client("s3").get_bucket_notification_configuration(Bucket="one")
    assert len(found["QueueConfigurations"]) == 2


def test_ids_are_unique() -> None:
    assert refusal(put((CREATED, "", ""), (REMOVED, "", ""), names=True)) == (
        "InvalidArgument",
        "Same ID used for multiple configurations. IDs must be unique.",
    )
