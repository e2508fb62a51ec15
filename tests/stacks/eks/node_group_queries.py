"""Node groups and launch templates in the templates."""

from __future__ import annotations

from typing import Any

from tests.stacks.templates import properties
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
