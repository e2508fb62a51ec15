"""moto's new network ACLs have no entries.

https://docs.aws.amazon.com/vpc/latest/userguide/vpc-network-acls.html: each network ACL has a
rule that denies what no other rule allows, which cannot be changed.
"""

from __future__ import annotations

from typing import Any

from clusterwright_localaws.core.runtime import runtime

MOTO_VERSION = "5.2.5"
DESCRIPTION = "EC2: a new network ACL denies all traffic with entries of its own"
REPRODUCTION = """\
ec2 = boto3.client("ec2")
vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
entries = ec2.create_network_acl(VpcId=vpc)["NetworkAcl"]["Entries"]
assert [entry["RuleAction"] for entry in entries] == ["deny", "deny"], entries
"""
_LAST = 32767


def apply() -> None:
    from moto.ec2.models import EC2Backend

    create_in_moto = EC2Backend.create_network_acl

    def create_network_acl(self: Any, vpc_id: str, tags: Any = None, default: bool = False) -> Any:
        acl = create_in_moto(self, vpc_id, tags=tags, default=default)
        if runtime().active and not default:
            for egress in (True, False):
                self.create_network_acl_entry(
                    network_acl_id=acl.id,
                    rule_number=_LAST,
                    protocol="-1",
                    rule_action="deny",
                    egress=egress,
                    cidr_block="0.0.0.0/0",
                    icmp_code=None,
                    icmp_type=None,
                    port_range_from=None,
                    port_range_to=None,
                    ipv6_cidr_block=None,
                )
        return acl

    EC2Backend.create_network_acl = create_network_acl  # type: ignore[method-assign]
