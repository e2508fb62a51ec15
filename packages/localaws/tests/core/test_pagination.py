"""Pages of implemented operations."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright_localaws.core.call import Call
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.core.pagination import page, paged, shorten
from clusterwright_localaws.core.runtime import Runtime
from clusterwright_localaws.worlds.model import Fault, World

ITEMS = list("abcde")


def call(
    operation: str = "ListClusters", page_limit: int | None = None, **parameters: Any
) -> Call:
    return Call(
        "sagemaker",
        operation,
        "111122223333",
        "us-east-1",
        Runtime(World()),
        parameters,
        page_limit,
    )


def test_pages_follow_each_other_by_tokens() -> None:
    found: list[list[str]] = []
    token: str | None = None
    while True:
        items, token = page(ITEMS, call(**({"NextToken": token} if token else {})), default=2)
        found.append(list(items))
        if token is None:
            break
    assert found == [["a", "b"], ["c", "d"], ["e"]]


@pytest.mark.parametrize(
    ("parameters", "options", "expected"),
    [
        ({}, {"default": 3}, 3),
        ({"MaxResults": 2}, {"default": 3}, 2),
        ({"MaxResults": 100}, {"default": 3, "maximum": 4}, 4),
        ({"MaxResults": 2, "page_limit": 1}, {"default": 3}, 1),
        ({"Limit": 1}, {"default": 3, "size_member": "Limit"}, 1),
        ({}, {"default": 100}, 5),
    ],
)
def test_the_size_of_a_page(
    parameters: dict[str, Any], options: dict[str, Any], expected: int
) -> None:
    assert len(page(ITEMS, call(**parameters), **options)[0]) == expected


def test_a_token_belongs_to_its_operation() -> None:
    _, token = page(ITEMS, call(), default=1)
    for wrong in (call("ListTrainingPlans", NextToken=token), call(NextToken="nonsense")):
        with pytest.raises(AwsError) as caught:
            page(ITEMS, wrong, default=1, stale_page_code="InvalidNextToken")
        assert (caught.value.code, caught.value.message) == (
            "InvalidNextToken",
            "The NextToken is not valid",
        )


def test_an_answer_holds_shapes_and_a_token_only_where_more_follows() -> None:
    first = paged(call(), "Names", ITEMS, str.upper, default=3, next_member="Next")
    assert first["Names"] == ["A", "B", "C"]
    last = paged(
        call(Next=first["Next"]), "Names", ITEMS, str.upper, default=3, next_member="Next"
    )
    assert last == {"Names": ["D", "E"]}
    assert paged(call(), "Names", ITEMS) == {"Names": ITEMS}


def test_the_fault_empty_removes_items_and_the_token() -> None:
    answer = {"ClusterSummaries": ["x"], "NextToken": "t", "Other": 1}
    empty = Fault(service="sagemaker", operation="ListClusters", empty=True)
    assert shorten([empty], "sagemaker", "ListClusters", answer) == {
        "ClusterSummaries": [],
        "Other": 1,
    }
    assert shorten([], "sagemaker", "ListClusters", answer) == answer
