"""Rules of security groups in EC2's answers."""

from __future__ import annotations

from clusterwright.aws.ec2.vpc import _permissions


def test_peers_are_groups_ranges_and_prefix_lists() -> None:
    """The shape of DescribeSecurityGroups, IpPermissions (EC2 API reference)."""
    (rule, plain) = _permissions(
        [
            {
                "IpProtocol": "tcp",
                "FromPort": 443,
                "ToPort": 443,
                "UserIdGroupPairs": [{"GroupId": "sg-1", "UserId": "111122223333"}],
                "IpRanges": [{"CidrIp": "10.0.0.0/16", "Description": "nodes"}],
                "Ipv6Ranges": [],
                "PrefixListIds": [{"PrefixListId": "pl-1", "Description": "offices"}],
            },
            {"IpProtocol": "-1"},
        ]
    )
    assert (rule.groups, rule.cidrs) == ({"sg-1"}, {"10.0.0.0/16"})
    assert rule.prefix_lists == {"pl-1"}
    assert rule.covers(443)
    assert (plain.groups, plain.cidrs, plain.prefix_lists) == (set(), set(), set())
