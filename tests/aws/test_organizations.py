"""The contents of effective tag policies, and invalid ones."""

from __future__ import annotations

import json
from typing import Any

import pytest

from clusterwright.aws.organizations import TagKeyPolicy, read_tag_policy


def test_documented_tag_policy_is_parsed() -> None:
    # Organizations user guide, "Viewing effective tag policies".
    content = '{"tags":{"costcenter":{"tag_value":["*"],"tag_key":"CostCenter"}}}'
    (policy,) = read_tag_policy(content)
    assert policy == TagKeyPolicy("CostCenter", ("*",))
    assert policy.allows("")
    assert policy.allows("anything")


def test_default_tag_key_is_lowercase_and_values_are_unrestricted() -> None:
    (policy,) = read_tag_policy('{"tags": {"CostCenter": {}}}')
    assert policy == TagKeyPolicy("costcenter")
    assert policy.allows("anything")
    assert read_tag_policy('{"tags": {}}') == ()


@pytest.mark.parametrize(
    ("pattern", "value", "allowed"),
    [
        ("100", "100", True),
        ("100", "1000", False),
        ("ML", "ml", False),
        ("300*", "300", True),
        ("300*", "3001", True),
        ("*@example.com", "a@example.com", True),
        ("*@example.com", "a@example.org", False),
        ("ab*ba", "aba", False),
        ("a.c", "abc", False),
        ("[ab]", "a", False),
    ],
)
def test_values_match_with_wildcards(pattern: str, value: str, allowed: bool) -> None:
    assert TagKeyPolicy("k", (pattern,)).allows(value) is allowed


def test_empty_value_list_allows_nothing() -> None:
    (policy,) = read_tag_policy('{"tags": {"color": {"tag_value": []}}}')
    assert not policy.allows("")


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        "{}",
        {"tags": []},
        {"tags": {"a": "b"}},
        {"tags": {"a": {"tag_key": "b"}}},
        {"tags": {"a": {"tag_key": {"@@assign": "a"}}}},
        {"tags": {"a": {"tag_value": "x"}}},
        {"tags": {"a": {"tag_value": {"@@assign": ["x"]}}}},
        {"tags": {"a": {"enforced_for": [1]}}},
    ],
)
def test_invalid_effective_policy_is_refused(content: Any) -> None:
    with pytest.raises(ValueError, match=r"."):
        read_tag_policy(content if isinstance(content, str) else json.dumps(content))
