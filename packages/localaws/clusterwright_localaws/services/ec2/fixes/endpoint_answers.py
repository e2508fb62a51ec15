"""moto leaves members out of its answers about VPC endpoints.

https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_VpcEndpoint.html. The default policy of
an interface endpoint has no version, as recorded on AWS; a gateway endpoint's has.
"""

from __future__ import annotations

import json
from typing import Any

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "EC2: VPC endpoints have RequesterManaged, and interface endpoints IpAddressType, DnsOptions "
    "and a default policy without a version"
)
REPRODUCTION = """\
ec2 = boto3.client("ec2")
vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
service = f"com.amazonaws.{ec2.meta.region_name}.logs"
asked = {"VpcId": vpc, "ServiceName": service, "VpcEndpointType": "Interface"}
endpoint = ec2.create_vpc_endpoint(**asked)["VpcEndpoint"]
assert endpoint["RequesterManaged"] is False
assert endpoint["IpAddressType"] == "ipv4"
assert endpoint["DnsOptions"] == {"DnsRecordIpType": "ipv4"}
"""


def apply() -> None:
    from moto.ec2.models import EC2Backend
    from moto.ec2.models.vpcs import VPCEndPoint

    create_in_moto = EC2Backend.create_vpc_endpoint
    default = json.dumps(VPCEndPoint.DEFAULT_POLICY)
    unversioned = json.dumps({"Statement": VPCEndPoint.DEFAULT_POLICY["Statement"]})

    def create_vpc_endpoint(self: Any, *arguments: Any, **named: Any) -> Any:
        endpoint = create_in_moto(self, *arguments, **named)
        endpoint.requester_managed = False
        if endpoint.vpc_endpoint_type == "Interface":
            endpoint.ip_address_type = "ipv4"
            endpoint.dns_options = {"DnsRecordIpType": "ipv4"}
            if endpoint.policy_document == default:
                endpoint.policy_document = unversioned
        return endpoint

    EC2Backend.create_vpc_endpoint = create_vpc_endpoint  # type: ignore[method-assign]
