"""Tests of network permissions."""

from __future__ import annotations

from tests.stacks.identity.node_statements import node_statements
from tests.stacks.templates import text_of
from tests.support.rich_specs import FULL
from tests.support.synthesis import Build


def test_interfaces_are_limited_to_the_cluster_subnets_and_groups(build: Build) -> None:
    (make,) = [
        s for s in node_statements(build(FULL)) if s["Action"] == "ec2:CreateNetworkInterface"
    ]
    assert len(make["Resource"]) == 3
    assert "subnet/" in text_of(make["Resource"])
    assert "security-group/" in text_of(make["Resource"])
