"""Statements of the nodes' role in the templates."""

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


def node_statements(assembly: Assembly) -> list[dict[str, Any]]:
    return [
        s for where, s in statements(assembly) if re.search(r"ExecutionRole|NodeRights", where)
    ]
