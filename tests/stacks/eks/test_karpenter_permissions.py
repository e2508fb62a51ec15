"""The role of Karpenter's controller."""

from __future__ import annotations

import json
from typing import Any

from tests.platforms.kubernetes.conftest import Load, load  # noqa: F401
from tests.stacks.templates import properties
from tests.support.rich_specs import ACCOUNT, EKS_KARPENTER, changed
from tests.support.synthesis import Build

SPEC = changed(EKS_KARPENTER, protection="destroy")

EC2 = f"arn:aws:ec2:us-east-1:{ACCOUNT}"


def properties_of_karpenter(assembly: Any, kind: str) -> list[dict[str, Any]]:
    found = assembly.templates["test-karpenter"]["Resources"].values()
    return [one["Properties"] for one in found if one["Type"] == kind]


def _list(value: Any) -> list[str]:
    return value if isinstance(value, list) else [value]


def test_price_permission_requires_an_egress_path(build: Build) -> None:
    def actions(spec: dict[str, Any]) -> set[str]:
        return {
            action
            for role in properties_of_karpenter(build(spec), "AWS::IAM::Role")
            for policy in role.get("Policies", [])
            for statement in policy["PolicyDocument"]["Statement"]
            for action in _list(statement["Action"])
        }

    closed = actions(SPEC)
    assert "ec2:CreateFleet" in closed
    assert not closed & {"pricing:GetProducts", "iam:CreateInstanceProfile", "iam:DeleteRole"}
    assert "pricing:GetProducts" in actions(changed(SPEC, network__egress="nat"))
    endpoints = {
        json.dumps(one["ServiceName"]) for one in properties(build(SPEC), "AWS::EC2::VPCEndpoint")
    }
    assert any("sqs" in one for one in endpoints)
