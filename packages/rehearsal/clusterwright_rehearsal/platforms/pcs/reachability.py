"""Whether the security groups of a cluster let an instance reach its controller.

PCS user guide, working-with_networking_sg: the groups need rules from and to themselves, and a
rule to 0.0.0.0/0 or what the instance calls. The rehearsal's network has no security groups, so
the agent asks for the rules before it registers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

SLURMCTLD_PORT, SLURMD_PORT = 6817, 6818


def blocked(ec2: Any, node_groups: Sequence[str], controller_groups: Sequence[str]) -> str | None:
    """Return which rule is missing between a node and its controller, None if there is none."""
    ids = sorted({*node_groups, *controller_groups})
    found = {
        group["GroupId"]: group
        for group in ec2.describe_security_groups(GroupIds=ids)["SecurityGroups"]
    }
    nodes = [found[one] for one in node_groups]
    controllers = [found[one] for one in controller_groups]
    for source, target, port, what in (
        (nodes, controllers, SLURMCTLD_PORT, "from the node to the controller"),
        (controllers, nodes, SLURMD_PORT, "from the controller to the node"),
    ):
        for groups, peers, key, direction in (
            (source, target, "IpPermissionsEgress", "out"),
            (target, source, "IpPermissions", "in"),
        ):
            if not any(_allows(group[key], port, peers) for group in groups):
                names = ", ".join(str(group["GroupId"]) for group in groups)
                return f"{names} has no rule {direction} for port {port} {what}"
    return None


def _allows(
    permissions: Sequence[Mapping[str, Any]], port: int, peers: Sequence[Mapping[str, Any]]
) -> bool:
    ids = {str(peer["GroupId"]) for peer in peers}
    for rule in permissions:
        protocol = rule["IpProtocol"]
        if protocol not in ("-1", "tcp"):
            continue
        if protocol == "tcp" and not rule["FromPort"] <= port <= rule["ToPort"]:
            continue
        if ids & set(_groups(rule)) or any(
            one["CidrIp"] == "0.0.0.0/0" for one in rule.get("IpRanges", ())
        ):
            return True
    return False


def _groups(rule: Mapping[str, Any]) -> Iterator[str]:
    for pair in rule.get("UserIdGroupPairs", ()):
        yield str(pair["GroupId"])
