"""Node groups and launch templates in the templates."""

from __future__ import annotations

from typing import Any

from tests.stacks.templates import properties
from tests.support.rich_specs import EKS, changed
from tests.support.synthesis import Assembly


def node_group(assembly: Assembly, name: str) -> dict[str, Any]:
    return next(
        one
        for one in properties(assembly, "AWS::EKS::Nodegroup")
        if one["Labels"]["clusterwright.dev/group"] == name
    )


def template(assembly: Assembly, name: str) -> dict[str, Any]:
    """Return the launch template data of a group."""
    logical = node_group(assembly, name)["LaunchTemplate"]["Id"]["Ref"]
    found = assembly.templates["test-cluster"]["Resources"][logical]["Properties"]
    data: dict[str, Any] = found["LaunchTemplateData"]
    return data


OWN_IMAGE = "ami-0123456789abcdef0"
IMAGE = f"111122223333.dkr.ecr.us-east-1.amazonaws.com/tests@sha256:{'0' * 64}"
HELD = changed(EKS, acceptance={"image": IMAGE, "hold": True})
"""Nodes are held until they are accepted."""
