"""Tests of services.s3.fixes.expirations."""

from __future__ import annotations

from datetime import UTC, timedelta
from email.utils import parsedate_to_datetime
from typing import Any

import pytest

from packages.localaws.tests.parts import client

KEY = {"Bucket": "one", "Key": "a"}


@pytest.fixture
def s3(aws: Any) -> Any:
    made = client("s3")
    made.create_bucket(Bucket="one")
    return made


def configure(s3: Any, *rules: tuple[str, int, dict[str, Any]]) -> None:
    written = [
        {"ID": name, "Status": "Enabled", "Expiration": {"Days": days}, "Filter": given}
        for name, days, given in rules
    ]
    s3.put_bucket_lifecycle_configuration(Bucket="one", LifecycleConfiguration={"Rules": written})


def rule_of(answer: dict[str, Any]) -> str | None:
    found = answer.get("Expiration")
    return found.split('rule-id="')[1].strip('"') if found else None


def test_the_day_on_which_an_object_expires(s3: Any) -> None:
    configure(s3, ("a rule", 7, {"Prefix": ""}))
    written = s3.put_object(**KEY)
    modified = s3.head_object(**KEY)["LastModified"]
    for answer in (written, s3.head_object(**KEY), s3.get_object(**KEY)):
        assert rule_of(answer) == "a%20rule"
        day = parsedate_to_datetime(answer["Expiration"].split('"')[1])
        assert (day.hour, day.minute, day.second) == (0, 0, 0)
        later = day - modified.astimezone(UTC)
        assert timedelta(days=7) < later <= timedelta(days=8)
    s3.delete_bucket_lifecycle(Bucket="one")
    assert rule_of(s3.head_object(**KEY)) is None


@pytest.mark.parametrize(
    ("given", "is_met"),
    [
        ({"Prefix": "b"}, False),
        ({"Tag": {"Key": "k", "Value": "v"}}, True),
        ({"Tag": {"Key": "k", "Value": "w"}}, False),
        ({"ObjectSizeGreaterThan": 3}, True),
        ({"ObjectSizeGreaterThan": 4}, False),
        ({"And": {"ObjectSizeLessThan": 5, "Prefix": "a"}}, True),
        ({"And": {"Prefix": "a", "Tags": [{"Key": "k", "Value": "w"}]}}, False),
    ],
)
def test_filters(s3: Any, given: dict[str, Any], is_met: bool) -> None:
    configure(s3, ("rule", 1, given))
    written = s3.put_object(**KEY, Body=b"four", Tagging="k=v")
    assert rule_of(written) == ("rule" if is_met else None)


def test_the_first_of_several_rules(s3: Any) -> None:
    configure(s3, ("later", 9, {"Prefix": "a"}), ("sooner", 2, {"Prefix": ""}))
    assert rule_of(s3.put_object(**KEY)) == "sooner"
    s3.put_bucket_versioning(Bucket="one", VersioningConfiguration={"Status": "Enabled"})
    version = s3.put_object(**KEY)["VersionId"]
    assert rule_of(s3.head_object(**KEY)) == "sooner"
    assert rule_of(s3.head_object(**KEY, VersionId=version)) is None
