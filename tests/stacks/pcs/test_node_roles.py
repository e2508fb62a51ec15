"""Tests of stacks.pcs.node_roles."""

from __future__ import annotations

from typing import Any

from tests.stacks.templates import properties, text_of
from tests.support.rich_specs import PCS
from tests.support.synthesis import Assembly, Build


def roles(assembly: Assembly) -> list[dict[str, Any]]:
    return [one for one in properties(assembly, "AWS::IAM::Role") if "/aws-pcs/" in text_of(one)]


def test_paths_are_those_that_pcs_requires(build: Build) -> None:
    found = roles(build(PCS))
    assert len(found) == 2
    for role in found:
        assert role["Path"].startswith("/aws-pcs/clusterwright/test/")
        assert "ec2.amazonaws.com" in text_of(role["AssumeRolePolicyDocument"])
        assert "pcs:RegisterComputeNodeGroupInstance" in text_of(role["Policies"])


def test_only_the_administering_node_publishes_the_state(build: Build) -> None:
    published = ["ClusterState" in text_of(role["Policies"]) for role in roles(build(PCS))]
    assert sorted(published) == [False, True]
