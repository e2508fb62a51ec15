"""Checks of security groups before a file system is created.

Messages are those of AWS's Lustre guide, "Creating an FSx for Lustre file system fails"; the ports
are those of "File system access control with Amazon VPC".
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Sequence
from typing import Any

from clusterwright_localaws.core.errors import AwsError

LUSTRE_PORTS = ((988, 988), (1018, 1023))
_CLOSED = (
    "The file system cannot be created because the default security group in the subnet provided "
    "or the provided security groups do not permit Lustre LNET network traffic on port {port}"
)
_EFA_CLOSED = (
    "Insufficient security group permissions to create an EFA-enabled file system. Update "
    "security group to allow all internal inbound and outbound traffic."
)


def check_lustre(groups: Sequence[Any], subnet: Any, *, efa: bool) -> None:
    """Refuse groups that block traffic between the servers of a file system.

    Inbound 988 and 1018-1023 must be open from a group of the file system or from the whole
    subnet; for EFA all traffic must be open both ways, by group.

    Raises
    ------
    AwsError
        InvalidNetworkSettings.
    """
    ids = {group.id for group in groups}
    rules = [rule for group in groups for rule in group.ingress_rules]
    for first, last in LUSTRE_PORTS:
        if not any(_opens(rule, first, last) and _covers(rule, ids, subnet) for rule in rules):
            raise _refused(_CLOSED.format(port=first), groups)
    if efa:
        outward = [rule for group in groups for rule in group.egress_rules]
        if not (_all_by_group(rules, ids) and _all_by_group(outward, ids)):
            raise _refused(_EFA_CLOSED, groups)


def _opens(rule: Any, first: int, last: int) -> bool:
    if rule.ip_protocol == "-1":
        return True
    return (
        rule.ip_protocol in ("tcp", "6")
        and int(rule.from_port) <= first
        and last <= int(rule.to_port)
    )


def _covers(rule: Any, ids: set[str], subnet: Any) -> bool:
    if rule.source_group.get("GroupId") in ids:
        return True
    cidr = rule.ip_range.get("CidrIp")
    return bool(cidr) and subnet.cidr.subnet_of(ipaddress.IPv4Network(cidr, strict=False))


def _all_by_group(rules: Iterable[Any], ids: set[str]) -> bool:
    return any(
        rule.ip_protocol == "-1" and rule.source_group.get("GroupId") in ids for rule in rules
    )


def _refused(message: str, groups: Sequence[Any]) -> AwsError:
    members = {"InvalidSecurityGroupId": groups[0].id} if groups else {}
    return AwsError("InvalidNetworkSettings", message, **members)
