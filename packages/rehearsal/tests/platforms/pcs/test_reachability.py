"""Rules of security groups between a node of AWS PCS and its controller."""

from __future__ import annotations

from typing import Any
from unittest.mock import Mock

import pytest

from clusterwright_rehearsal.platforms.pcs.reachability import blocked

ITSELF = {"IpProtocol": "-1", "UserIdGroupPairs": [{"GroupId": "sg-1"}]}
WORLD = {"IpProtocol": "-1", "IpRanges": [{"CidrIp": "0.0.0.0/0"}]}


def ec2(incoming: list[dict[str, Any]], outgoing: list[dict[str, Any]]) -> Any:
    group = {
        "GroupId": "sg-1",
        "IpPermissions": incoming,
        "IpPermissionsEgress": outgoing,
    }
    return Mock(describe_security_groups=Mock(return_value={"SecurityGroups": [group]}))


def ports(first: int, last: int) -> dict[str, Any]:
    return {**ITSELF, "IpProtocol": "tcp", "FromPort": first, "ToPort": last}


@pytest.mark.parametrize(
    ("incoming", "outgoing"),
    [([ITSELF], [ITSELF]), ([ITSELF], [WORLD]), ([ports(6817, 6818)], [ports(0, 65535)])],
)
def test_rules_that_suffice(
    incoming: list[dict[str, Any]], outgoing: list[dict[str, Any]]
) -> None:
    assert blocked(ec2(incoming, outgoing), ["sg-1"], ["sg-1"]) is None


@pytest.mark.parametrize(
    ("incoming", "outgoing", "words"),
    [
        ([], [WORLD], "sg-1 has no rule in for port 6817 from the node to the controller"),
        ([ITSELF], [], "sg-1 has no rule out for port 6817"),
        ([ports(6817, 6817)], [WORLD], "for port 6818 from the controller to the node"),
        ([{**ports(6817, 6818), "IpProtocol": "udp"}], [WORLD], "no rule in for port 6817"),
    ],
)
def test_missing_rule_is_named(
    incoming: list[dict[str, Any]], outgoing: list[dict[str, Any]], words: str
) -> None:
    found = blocked(ec2(incoming, outgoing), ["sg-1"], ["sg-1"])
    assert found is not None
    assert words in found
