"""Tests of services.ec2.fixes.security_limits."""

from __future__ import annotations

from typing import Any

from clusterwright_localaws import local_aws
from packages.localaws.tests.parts import build_site, client, refusal


def test_security_group_rules_are_limited_per_direction() -> None:
    with local_aws("generous", quotas={"vpc/L-0EA8095F": 2}):
        site, ec2 = build_site(), client("ec2")

        def rule(port: int) -> list[dict[str, Any]]:
            itself = [{"GroupId": site.group_id}]
            pairs = {"UserIdGroupPairs": itself, "FromPort": port, "ToPort": port}
            return [{"IpProtocol": "tcp", **pairs}]

        for port in (1, 2):
            ec2.authorize_security_group_ingress(GroupId=site.group_id, IpPermissions=rule(port))
        code, _ = refusal(
            ec2.authorize_security_group_ingress, GroupId=site.group_id, IpPermissions=rule(3)
        )
        assert code == "RulesPerSecurityGroupLimitExceeded"
        # EC2's default egress rule is one of two; the other direction allows one.
        ec2.authorize_security_group_egress(GroupId=site.group_id, IpPermissions=rule(1))


def test_interfaces_are_counted_by_zone() -> None:
    with local_aws("generous", quotas={"vpc/L-DF5E4CA3": 1}):
        site, ec2 = build_site(), client("ec2")
        ec2.create_network_interface(SubnetId=site.subnet_id)
        code, _ = refusal(ec2.create_network_interface, SubnetId=site.subnet_id)
        assert code == "NetworkInterfaceLimitExceeded"
        elsewhere = ec2.create_subnet(
            VpcId=site.vpc_id, CidrBlock="10.0.254.0/24", AvailabilityZoneId="use1-az2"
        )["Subnet"]["SubnetId"]
        ec2.create_network_interface(SubnetId=elsewhere)
