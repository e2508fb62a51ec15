"""Roles of HyperPod's nodes and of its autoscaling."""

from __future__ import annotations

from typing import Any

import aws_cdk as cdk
import pytest
from aws_cdk.assertions import Template

from stacks.hyperpod_eks.roles import node_role, scaling_role
from tests.support.rich_specs import ON_EKS
from tests.support.validation import cluster

KEY = "arn:aws:kms:us-east-1:111122223333:key/1"


def statements(build: Any) -> list[dict[str, Any]]:
    stack = cdk.Stack(cdk.App(), "stack")
    build(stack, cluster(base=ON_EKS), KEY)
    resources = Template.from_stack(stack).to_json()["Resources"]
    found = []
    for resource in resources.values():
        properties = resource["Properties"]
        documents = [p["PolicyDocument"] for p in properties.get("Policies", ())]
        documents += [properties["PolicyDocument"]] if "PolicyDocument" in properties else []
        found += [s for document in documents for s in document["Statement"]]
    return found


@pytest.mark.parametrize("build", [node_role, scaling_role])
def test_no_action_is_a_wildcard(build: Any) -> None:
    found = statements(build)
    assert found
    for statement in found:
        actions = statement["Action"]
        for action in actions if isinstance(actions, list) else [actions]:
            assert "*" not in action


@pytest.mark.parametrize("build", [node_role, scaling_role])
def test_only_this_cluster_key_is_used(build: Any) -> None:
    keys = [s["Resource"] for s in statements(build) if "kms:" in str(s["Action"])]
    assert all(key == KEY for key in keys)
