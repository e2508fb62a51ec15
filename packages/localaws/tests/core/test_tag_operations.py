"""Tests of core.tag_operations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import pytest

from clusterwright_localaws.core.call import OPERATIONS, Call
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.core.tag_operations import tag_operations

SERVICE = "service-of-the-test"


class Tagged:
    """A call with parameters, which is all that the operations read."""

    def __init__(self, **parameters: Any) -> None:
        self.parameters = parameters


@pytest.fixture
def tags() -> Iterator[dict[str, str]]:
    kept: dict[str, str] = {"team": "ml"}
    tag_operations(
        SERVICE,
        lambda call: kept,
        tags="Tags",
        keys="TagKeys",
        as_list=True,
        limit=2,
        refusal=lambda most: AwsError("TooManyTags", f"At most {most}."),
    )
    yield kept
    for key in [key for key in OPERATIONS if key[0] == SERVICE]:
        del OPERATIONS[key]


def ask(operation: str, **parameters: Any) -> Any:
    return OPERATIONS[SERVICE, operation](cast(Call, Tagged(**parameters)))


def test_tags_are_added_listed_and_removed(tags: dict[str, str]) -> None:
    assert ask("TagResource", Tags=[{"Key": "cost", "Value": "1"}]) == {}
    assert ask("ListTagsForResource") == {
        "Tags": [{"Key": "team", "Value": "ml"}, {"Key": "cost", "Value": "1"}]
    }
    assert ask("UntagResource", TagKeys=["team", "unknown"]) == {}
    assert tags == {"cost": "1"}


def test_more_tags_than_the_limit_are_refused(tags: dict[str, str]) -> None:
    added = [{"Key": key, "Value": "v"} for key in ("a", "b")]
    with pytest.raises(AwsError, match="At most 2"):
        ask("TagResource", Tags=added)
    assert tags == {"team": "ml"}
