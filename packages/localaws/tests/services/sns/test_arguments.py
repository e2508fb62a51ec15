"""Tests of services.sns.arguments."""

from __future__ import annotations

import pytest

from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.services.sns.arguments import check_tags, parts_of, text


def test_arn_has_six_parts() -> None:
    assert parts_of("TopicArn", "a:b:c:d:e:f")[5] == "f"
    with pytest.raises(AwsError, match=r"TopicArn Reason: .* at least 6 elements, not 2"):
        parts_of("TopicArn", "a:b")


def test_keys_of_tags_are_distinct() -> None:
    check_tags([{"Key": "a", "Value": "1"}, {"Key": "b", "Value": "1"}])
    with pytest.raises(AwsError, match="Duplicated keys"):
        check_tags([{"Key": "a", "Value": "1"}, {"Key": "a", "Value": "2"}])


def test_values_of_attributes() -> None:
    assert (text(True), text("True"), text(2)) == ("true", "True", "2")
