"""The organisation's tag policy in calls of EC2."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.services.ec2.tag_policy import _allowed, _type_of, check
from clusterwright_localaws.worlds.model import TagKeyRule, World

RULES = {
    "CostCenter": {
        "tag_key": "CostCenter",
        "tag_value": ["100", "20*"],
        "enforced_for": ["ec2:instance", "ec2:vpc"],
    },
    "free": {"tag_value": ["x"]},
}


def world(rules: dict[str, Any] | None = None) -> World:
    organization: dict[str, Any] = {"id": "o-abcdefghij"}
    organization["tag_policy"] = {"tags": RULES if rules is None else rules}
    return World.model_validate({"organization": organization})


def created(kind: str, key: str, value: str) -> dict[str, Any]:
    tags = [{"Key": key, "Value": value}]
    return {"TagSpecifications": [{"ResourceType": kind, "Tags": tags}]}


@pytest.mark.parametrize(
    ("kind", "key", "value"),
    [
        ("instance", "CostCenter", "100"),
        ("instance", "CostCenter", "2001"),
        ("volume", "CostCenter", "9"),
        ("volume", "costcenter", "9"),
        ("instance", "free", "anything"),
        ("instance", "Other", "anything"),
    ],
)
def test_allowed(kind: str, key: str, value: str) -> None:
    check(world(), "RunInstances", created(kind, key, value))


@pytest.mark.parametrize(
    ("kind", "key", "value", "message"),
    [
        ("instance", "CostCenter", "9", "does not allow the specified value"),
        ("instance", "costcenter", "100", "does not allow the capitalization"),
        ("vpc", "COSTCENTER", "9", "does not allow the capitalization"),
    ],
)
def test_refused(kind: str, key: str, value: str, message: str) -> None:
    with pytest.raises(AwsError, match=message) as caught:
        check(world(), "RunInstances", created(kind, key, value))
    assert caught.value.code == "TagPolicyViolation"
    assert caught.value.message.endswith(f"tag key: '{key}'.")


def test_tags_of_existing_resources_are_checked_by_their_id() -> None:
    tags = [{"Key": "CostCenter", "Value": "9"}]
    check(world(), "CreateTags", {"Resources": ["vol-1"], "Tags": tags})
    with pytest.raises(AwsError, match="specified value"):
        check(world(), "CreateTags", {"Resources": ["vol-1", "i-1"], "Tags": tags})


def test_without_a_policy_everything_is_allowed() -> None:
    check(World(), "RunInstances", created("instance", "CostCenter", "9"))


@pytest.mark.parametrize(
    ("resource", "expected"),
    [
        ("i-0123", "instance"),
        ("nat-0123", "natgateway"),
        ("vpc-0123", "vpc"),
        ("unknown-0123", "unknown"),
    ],
)
def test_the_type_of_a_resource(resource: str, expected: str) -> None:
    assert _type_of(resource) == expected


@pytest.mark.parametrize(
    ("pattern", "value", "expected"),
    [
        ("a*z", "abcz", True),
        ("a*z", "az", True),
        ("ab*ba", "aba", False),
        ("*", "", True),
        ("a", "A", False),
    ],
)
def test_patterns_of_values(pattern: str, value: str, expected: bool) -> None:
    assert _allowed(TagKeyRule(tag_value=[pattern]), value) is expected
    assert _allowed(TagKeyRule(), value)
