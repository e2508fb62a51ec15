"""Tests of network permissions: the interfaces of this cluster's subnets, and no others."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.stacks.templates import listed, statements, text_of
from tests.support.iam_reference import action_of
from tests.support.rich_specs import FULL, HYPERPOD_EKS, MINIMAL
from tests.support.synthesis import Assembly, Build


def of_network(assembly: Assembly) -> list[dict[str, Any]]:
    """Statements of the nodes' roles about EC2's resources."""
    return [
        s
        for where, s in statements(assembly)
        if re.search(r"NodeRolesNodes|NodeRights", where)
        and all(a.startswith("ec2:") for a in listed(s["Action"]))
        and s["Resource"] != "*"
    ]


@pytest.mark.parametrize("spec", [FULL, HYPERPOD_EKS], ids=["slurm", "eks"])
def test_interfaces_are_made_only_in_the_clusters_subnets_and_groups(
    build: Build, spec: dict[str, Any]
) -> None:
    (make,) = [s for s in of_network(build(spec)) if s["Action"] == "ec2:CreateNetworkInterface"]
    assert "subnet/" in text_of(make["Resource"])
    assert "security-group/" in text_of(make["Resource"])
    for resource in make["Resource"]:
        text = text_of(resource)
        assert ":network-interface/*" in text or not text.endswith('/*"')


def test_the_controllers_group_is_among_them(build: Build) -> None:
    (make,) = [
        s for s in of_network(build(MINIMAL)) if s["Action"] == "ec2:CreateNetworkInterface"
    ]
    assert "Controller" in text_of(make["Resource"])


@pytest.mark.parametrize("spec", [FULL, HYPERPOD_EKS], ids=["slurm", "eks"])
def test_what_takes_a_condition_on_the_network_has_it(build: Build, spec: dict[str, Any]) -> None:
    """EC2's reference lists ec2:Vpc and ec2:Subnet for these actions on interfaces."""
    for statement in of_network(build(spec)):
        if "network-interface/*" not in text_of(statement["Resource"]):
            continue
        condition = statement.get("Condition", {})
        for name in listed(statement["Action"]):
            if (
                not {"ec2:Vpc", "ec2:Subnet"}
                <= action_of(name).condition_keys["network-interface"]
            ):
                continue
            if condition.get("StringEquals") == {"ec2:CreateAction": "CreateNetworkInterface"}:
                continue  # a new interface is in no subnet yet
            assert set(condition["ArnEquals"]) == {"ec2:Vpc", "ec2:Subnet"}, name
            assert "vpc/" in text_of(condition["ArnEquals"]["ec2:Vpc"])
            assert "subnet/" in text_of(condition["ArnEquals"]["ec2:Subnet"])


@pytest.mark.parametrize("spec", [FULL, HYPERPOD_EKS], ids=["slurm", "eks"])
def test_detaching_has_both_of_its_resources(build: Build, spec: dict[str, Any]) -> None:
    found = [
        text_of(s["Resource"])
        for s in of_network(build(spec))
        if "ec2:DetachNetworkInterface" in listed(s["Action"])
    ]
    assert any(":network-interface/*" in text for text in found)
    assert any(":instance/*" in text for text in found)
