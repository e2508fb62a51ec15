"""Tests of CW-I016."""

from __future__ import annotations

from tests.preflight.harness import Harness
from tests.preflight.rules.support.access import FILES, refused, rights


def test_missing_node_permissions_are_reported(rule: Harness) -> None:
    denied = rights(rule, "CW-I016", FILES, refused("s3:GetObject", by_boundary=False))
    rule.fails("CW-I016", FILES, denied, path="environment", message="a node is not allowed")
    rule.passes("CW-I016", FILES, rights(rule, "CW-I016", FILES))
    rule.passes("CW-I016", FILES, rights(rule, "CW-I016", FILES, exists=False))


def test_what_one_role_lacks_names_whose_it_is(rule: Harness) -> None:
    spec = {"storage.buckets": [{"name": "results"}]}
    denied = rights(rule, "CW-I016", spec, refused("s3:PutObject", by_boundary=False))
    rule.fails("CW-I016", spec, denied, path="environment", message="a job is not allowed")
    denied = rights(rule, "CW-I016", spec, refused("sts:AssumeRole", by_boundary=False))
    rule.fails("CW-I016", spec, denied, path="environment", message="a node is not allowed")
