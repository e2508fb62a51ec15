"""Tests of services.resource_groups.fixes.queries."""

from __future__ import annotations

import json

import pytest

from packages.localaws.tests.parts import client, refusal

pytestmark = pytest.mark.usefixtures("aws")


@pytest.mark.parametrize("query", ["", "x", "{}", "[]", '{"TagFilters": []}'])
def test_malformed_queries_are_refused(query: str) -> None:
    groups = client("resource-groups")
    asked = {"Type": "TAG_FILTERS_1_0", "Query": query}
    assert refusal(groups.create_group, Name="g", ResourceQuery=asked)[0] == "BadRequestException"
    assert groups.list_groups()["GroupIdentifiers"] == []


def test_other_queries_are_kept() -> None:
    tags = [{"Key": "team", "Values": ["research"]}]
    query = json.dumps({"ResourceTypeFilters": ["AWS::AllSupported"], "TagFilters": tags})
    asked = {"Type": "TAG_FILTERS_1_0", "Query": query}
    made = client("resource-groups").create_group(Name="g", ResourceQuery=asked)
    assert made["ResourceQuery"] == asked
