"""moto nests the state of a subnet's IPv6 block in itself, so that no client can read it.

https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_SubnetIpv6CidrBlockAssociation.html.
"""

from __future__ import annotations

from typing import Any

MOTO_VERSION = "5.2.5"
DESCRIPTION = "EC2: the state of a subnet's IPv6 block is a string"
REPRODUCTION = """\
ec2 = boto3.client("ec2")
vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16", AmazonProvidedIpv6CidrBlock=True)["Vpc"]
(found,) = ec2.describe_vpcs(VpcIds=[vpc["VpcId"]])["Vpcs"]
block = found["Ipv6CidrBlockAssociationSet"][0]["Ipv6CidrBlock"].replace("::/56", "::/64")
made = ec2.create_subnet(VpcId=vpc["VpcId"], CidrBlock="10.0.0.0/24", Ipv6CidrBlock=block)
(association,) = made["Subnet"]["Ipv6CidrBlockAssociationSet"]
assert association["Ipv6CidrBlockState"] == {"State": "associated"}
"""


def apply() -> None:
    from moto.ec2.models.subnets import Subnet

    def associations(self: Any) -> list[dict[str, Any]]:
        return [
            {
                "ipv6CidrBlock": one["ipv6CidrBlock"],
                "associationId": one["associationId"],
                "ipv6CidrBlockState": {"state": one["ipv6CidrBlockState"]["State"]},
            }
            for one in self.ipv6_cidr_block_associations.values()
            if one["ipv6CidrBlockState"]["State"] == "associated"
        ]

    Subnet.ipv6_cidr_block_association_set = property(associations)  # type: ignore[assignment,method-assign]
