"""Tests of CW-I016."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from clusterwright.platforms.loading import load_cluster
from clusterwright.preflight.facts.deployment import stack_name
from clusterwright.preflight.rules.iam.i016_node_permissions import _questions
from tests.preflight.harness import Harness
from tests.preflight.rules.support.access import FILES, refused, rights
from tests.support import specs
from tests.support.rich_specs import EKS, FULL, HYPERPOD_EKS
from tests.support.synthesis import Build


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


@pytest.mark.parametrize(
    "spec", [FULL, HYPERPOD_EKS, EKS], ids=["hyperpod-slurm", "hyperpod-eks", "eks"]
)
def test_roles_are_those_of_the_templates(
    spec: dict[str, Any], build: Build, tmp_path: Path
) -> None:
    cluster = load_cluster(specs.write(tmp_path / "spec.yaml", spec)).cluster
    templates = build(spec).templates
    asked = list(_questions(cluster))
    assert asked
    for question in asked:
        role = question.role
        resources = templates[stack_name(cluster.environment, role.part)]["Resources"]
        found = [
            name
            for name, resource in resources.items()
            if resource["Type"] == "AWS::IAM::Role" and re.fullmatch(role.logical_id, name)
        ]
        assert len(found) == 1, question.who
        assert role.asked


def test_role_of_managed_node_groups_is_read(tmp_path: Path) -> None:
    cluster = load_cluster(specs.write(tmp_path / "spec.yaml", EKS)).cluster
    (question,) = _questions(cluster)
    asked = {action for one in question.role.asked for action in one.actions}
    assert {"eks:DescribeCluster", "ecr:BatchGetImage"} <= asked
