"""Tests of services.ec2.fixes.rule_values."""

from __future__ import annotations

from typing import Any

import pytest

from packages.localaws.tests.parts import client, refusal

pytestmark = pytest.mark.usefixtures("aws")
ANY = [{"CidrIp": "0.0.0.0/0"}]
PORTS = {"FromPort": 22, "ToPort": 22}


def _group() -> str:
    made = client("ec2").create_security_group(GroupName="g", Description="g")
    return str(made["GroupId"])


def _added(rule: dict[str, Any]) -> dict[str, Any]:
    ec2, group = client("ec2"), _group()
    ec2.authorize_security_group_ingress(GroupId=group, IpPermissions=[rule])
    (found,) = ec2.describe_security_groups(GroupIds=[group])["SecurityGroups"]
    permission: dict[str, Any] = found["IpPermissions"][0]
    return permission


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ({"IpProtocol": "tcp"}, "Must specify both from and to ports with TCP/UDP."),
        ({"IpProtocol": "udp", "FromPort": 1}, "Must specify both from and to ports"),
        ({"IpProtocol": "icmp"}, "Must specify both type and code with ICMP."),
        ({"IpProtocol": "icmp", "FromPort": -1, "ToPort": 3}, "ICMP type and code (-1:3)"),
        ({"IpProtocol": "icmp", "FromPort": 256, "ToPort": 0}, "ICMP type and code (256:0)"),
        ({"IpProtocol": "tcp", "FromPort": 30, "ToPort": 20}, "port range (30:20)"),
        ({"IpProtocol": "tcp", "FromPort": 1, "ToPort": 65536}, "port (65536) out of range"),
        ({"IpProtocol": "6", "FromPort": -1, "ToPort": -1}, "port (-1) out of range"),
        ({"IpProtocol": "foo", **PORTS}, "'foo' for IP protocol. Unknown protocol."),
        ({"IpProtocol": "256", **PORTS}, "'256' for IP protocol. Unknown protocol."),
    ],
)
def test_ports_and_protocols_that_are_refused(rule: dict[str, Any], words: str) -> None:
    group = _group()
    for call in ("authorize_security_group_ingress", "authorize_security_group_egress"):
        code, message = refusal(
            getattr(client("ec2"), call),
            GroupId=group,
            IpPermissions=[{**rule, "IpRanges": [{"CidrIp": "10.0.0.0/8"}]}],
        )
        assert (code, words in message) == ("InvalidParameterValue", True), message


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ({"IpProtocol": "TCP", **PORTS}, ("tcp", 22, 22)),
        ({"IpProtocol": "17", "FromPort": 0, "ToPort": 65535}, ("udp", 0, 65535)),
        ({"IpProtocol": "icmp", "FromPort": 8, "ToPort": -1}, ("icmp", 8, -1)),
        ({"IpProtocol": "58"}, ("icmpv6", -1, -1)),
        ({"IpProtocol": "50", **PORTS}, ("50", -1, -1)),
        ({"IpProtocol": "-1", **PORTS}, ("-1", None, None)),
    ],
)
def test_ports_and_protocols_that_are_kept(
    rule: dict[str, Any], expected: tuple[str, int | None, int | None]
) -> None:
    found = _added({**rule, "IpRanges": ANY})
    assert (found["IpProtocol"], found.get("FromPort"), found.get("ToPort")) == expected


@pytest.mark.parametrize(
    "ranges",
    [
        {"IpRanges": [{"CidrIp": "10.0.0.0/33"}]},
        {"IpRanges": [{"CidrIp": "10.0.0.0"}]},
        {"IpRanges": [{"CidrIp": "::/0"}]},
        {"Ipv6Ranges": [{"CidrIpv6": "::/129"}]},
        {"Ipv6Ranges": [{"CidrIpv6": "10.0.0.0/8"}]},
    ],
)
def test_malformed_addresses(ranges: dict[str, Any]) -> None:
    code, message = refusal(
        client("ec2").authorize_security_group_ingress,
        GroupId=_group(),
        IpPermissions=[{"IpProtocol": "tcp", **PORTS, **ranges}],
    )
    assert (code, "is malformed" in message) == ("InvalidParameterValue", True)


def test_addresses_are_made_canonical() -> None:
    ec2, group = client("ec2"), _group()
    given = {
        "IpProtocol": "tcp",
        **PORTS,
        "IpRanges": [{"CidrIp": "100.68.0.18/18"}],
        "Ipv6Ranges": [{"CidrIpv6": "2001:DB8::1/32"}],
    }
    ec2.authorize_security_group_ingress(GroupId=group, IpPermissions=[given])
    (found,) = ec2.describe_security_groups(GroupIds=[group])["SecurityGroups"]
    (rule,) = found["IpPermissions"]
    assert rule["IpRanges"] == [{"CidrIp": "100.68.0.0/18"}]
    assert rule["Ipv6Ranges"] == [{"CidrIpv6": "2001:db8::/32"}]
    again = {"GroupId": group, "CidrIp": "100.68.1.1/18", "IpProtocol": "tcp", **PORTS}
    found = refusal(ec2.authorize_security_group_ingress, **again)
    assert found[0] == "InvalidPermission.Duplicate"
    ec2.revoke_security_group_ingress(GroupId=group, IpPermissions=[given])
    (found,) = ec2.describe_security_groups(GroupIds=[group])["SecurityGroups"]
    assert found["IpPermissions"] == []


@pytest.mark.parametrize("text", ["a<b", "é", "x" * 256])
def test_descriptions_of_rules(text: str) -> None:
    rule = {"IpProtocol": "tcp", **PORTS, "IpRanges": [{**ANY[0], "Description": text}]}
    code, message = refusal(
        client("ec2").authorize_security_group_ingress, GroupId=_group(), IpPermissions=[rule]
    )
    assert (code, message[:24]) == ("InvalidParameterValue", "Invalid rule description")
    assert _described("SSH (from #1) [a]+{b}!$*").startswith("SSH")


def _described(text: str) -> str:
    ec2 = client("ec2")
    group = ec2.create_security_group(GroupName="other", Description=text)["GroupId"]
    rule = {"IpProtocol": "tcp", **PORTS, "IpRanges": [{**ANY[0], "Description": text}]}
    ec2.authorize_security_group_ingress(GroupId=group, IpPermissions=[rule])
    (found,) = ec2.describe_security_groups(GroupIds=[group])["SecurityGroups"]
    return str(found["IpPermissions"][0]["IpRanges"][0]["Description"])


@pytest.mark.parametrize(
    ("name", "description"),
    [("sg-nodes", "d"), ("SG-nodes", "d"), ("é", "d"), ("x" * 256, "d"), ("n", "a<b")],
)
def test_names_and_descriptions_of_groups(name: str, description: str) -> None:
    found = refusal(client("ec2").create_security_group, GroupName=name, Description=description)
    assert found[0] == "InvalidParameterValue"
