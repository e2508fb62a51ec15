"""Tests of core.request_tags."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright_localaws.core.request_tags import request_tags, sets_reserved_only


@pytest.mark.parametrize(
    ("tagging", "is_reserved_only"),
    [
        ({"TagSet": [{"Key": "aws:cloudformation:stack-id", "Value": "x"}]}, True),
        ({"TagSet": [{"Key": "aws:a", "Value": "x"}, {"Key": "b", "Value": "x"}]}, False),
        ({"TagSet": []}, False),
        ({"TagSet": None}, False),
        ("aws:a=x", False),
        (None, False),
    ],
)
def test_tags_of_a_bucket_and_of_objects(tagging: Any, is_reserved_only: bool) -> None:
    """Those of objects are the text of a query."""
    assert sets_reserved_only("PutBucketTagging", {"Tagging": tagging}) is is_reserved_only
    assert not sets_reserved_only("PutObjectTagging", {"Tagging": tagging})


def test_member_that_is_called_tags_and_has_none() -> None:
    """Verified Permissions' GetPolicyStore has one."""
    assert request_tags({"tags": True}) == {}
