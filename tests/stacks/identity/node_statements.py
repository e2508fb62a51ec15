"""Statements of the nodes' and the jobs' roles in the templates."""

from __future__ import annotations

import re
from typing import Any

from tests.stacks.templates import statements
from tests.support.synthesis import Assembly

# Actions without resource types (Service Authorization Reference), all read-only or limited by a
# condition; no other action may have Resource "*".
WITHOUT_RESOURCE = {
    "cloudwatch:PutMetricData",
    "ec2:DescribeDhcpOptions",
    "ec2:DescribeInstanceTopology",
    "ec2:DescribeNetworkInterfaces",
    "ec2:DescribeSecurityGroups",
    "ec2:DescribeSubnets",
    "ec2:DescribeVpcs",
    "ecr:GetAuthorizationToken",
    "fsx:DescribeFileSystems",
    "ssmmessages:CreateControlChannel",
    "ssmmessages:CreateDataChannel",
    "ssmmessages:OpenControlChannel",
    "ssmmessages:OpenDataChannel",
}

_NODES = "NodeRolesNodes"
_CONTROLLER = "NodeRolesController"
_JOBS = "NodeRolesJobs"


def every_nodes_statements(assembly: Assembly) -> list[dict[str, Any]]:
    """What the role of every instance group allows."""
    return _of(assembly, _NODES)


def controllers_statements(assembly: Assembly) -> list[dict[str, Any]]:
    """What the controller's role allows in addition."""
    return _of(assembly, _CONTROLLER)


def jobs_statements(assembly: Assembly) -> list[dict[str, Any]]:
    """What the role of jobs allows."""
    return _of(assembly, _JOBS)


def node_statements(assembly: Assembly) -> list[dict[str, Any]]:
    """What any role of the nodes allows."""
    return [*every_nodes_statements(assembly), *controllers_statements(assembly)]


def _of(assembly: Assembly, name: str) -> list[dict[str, Any]]:
    return [s for where, s in statements(assembly) if re.search(f"/{name}[0-9A-F]", where)]
