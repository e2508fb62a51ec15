"""The three operations on tags."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright_localaws.core import call as call_module
from clusterwright_localaws.core.call import Call
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.core.runtime import Runtime
from clusterwright_localaws.core.tag_operations import tag_operations
from clusterwright_localaws.worlds.model import World

RUNTIME = Runtime(World())


class Service:
    """The operations of a service with one resource."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, **options: Any) -> None:
        self.tags: dict[str, str] = {}
        self._table: dict[tuple[str, str], Any] = {}
        monkeypatch.setattr(call_module, "OPERATIONS", self._table)
        tag_operations("fsx", lambda _: self.tags, **options)

    def __call__(self, operation: str, **parameters: Any) -> Any:
        call = Call("fsx", operation, "1", "us-east-1", RUNTIME, parameters)
        return self._table["fsx", operation](call)


def test_a_map_of_tags(monkeypatch: pytest.MonkeyPatch) -> None:
    service = Service(monkeypatch)
    assert service("TagResource", tags={"a": "1", "b": "2"}) == {}
    service("TagResource", tags={"a": "3"})
    service("UntagResource", tagKeys=["b", "none"])
    answer = service("ListTagsForResource")
    assert answer == {"tags": {"a": "3"}}
    answer["tags"]["a"] = "changed"
    assert service.tags == {"a": "3"}


def test_a_list_of_tags(monkeypatch: pytest.MonkeyPatch) -> None:
    service = Service(monkeypatch, tags="Tags", keys="TagKeys", as_list=True)
    service("TagResource", Tags=[{"Key": "a", "Value": "1"}])
    assert service("ListTagsForResource") == {"Tags": [{"Key": "a", "Value": "1"}]}
    service("UntagResource", TagKeys=["a"])
    assert service("ListTagsForResource") == {"Tags": []}


def test_a_list_with_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    service = Service(
        monkeypatch, tags="Tags", keys="TagKeys", as_list=True, stale_page_code="BadRequest"
    )
    service("TagResource", Tags=[{"Key": name, "Value": ""} for name in "abc"])
    first = service("ListTagsForResource", MaxResults=2)
    assert [tag["Key"] for tag in first["Tags"]] == ["a", "b"]
    rest = service("ListTagsForResource", NextToken=first["NextToken"])
    assert rest == {"Tags": [{"Key": "c", "Value": ""}]}
    with pytest.raises(AwsError) as caught:
        service("ListTagsForResource", NextToken="odd")
    assert caught.value.code == "BadRequest"


def test_too_many_tags_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    service = Service(
        monkeypatch, limit=2, refusal=lambda most: AwsError("TooManyTags", f"at most {most}")
    )
    service("TagResource", tags={"a": "1", "b": "2"})
    service("TagResource", tags={"a": "3"})
    with pytest.raises(AwsError, match="at most 2"):
        service("TagResource", tags={"c": "1"})
    assert service.tags == {"a": "3", "b": "2"}
