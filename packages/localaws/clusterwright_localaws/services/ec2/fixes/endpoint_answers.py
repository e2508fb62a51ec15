"""moto leaves members out of its answers about VPC endpoints.

https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_VpcEndpoint.html. The default policy of
an interface endpoint has no version, as recorded on AWS; a gateway endpoint's has.
"""

from __future__ import annotations

import json
from typing import Any

from clusterwright_localaws.core.runtime import runtime

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
    from moto.ec2.responses.vpcs import VPCs

    create_in_moto = EC2Backend.create_vpc_endpoint
    default = json.dumps(VPCEndPoint.DEFAULT_POLICY)
    unversioned = json.dumps({"Statement": VPCEndPoint.DEFAULT_POLICY["Statement"]})

    def create_vpc_endpoint(self: Any, *arguments: Any, **named: Any) -> Any:
        endpoint: Any = create_in_moto(self, *arguments, **named)
        if not runtime().active:
            return endpoint
        endpoint.requester_managed = False
        endpoint.default_policy_document = default
        if endpoint.vpc_endpoint_type == "Interface":
            endpoint.ip_address_type = "ipv4"
            endpoint.dns_options = {"DnsRecordIpType": "ipv4"}
            endpoint.default_policy_document = unversioned
            if endpoint.policy_document == default:
                endpoint.policy_document = unversioned
        return endpoint

    create = VPCs.create_vpc_endpoint

    def created(self: Any) -> Any:
        answer = create(self)
        if runtime().active:
            found: Any = answer.result
            take_addresses(self, found["VpcEndpoint"])
        return answer

    VPCs.create_vpc_endpoint = created  # type: ignore[method-assign]
    EC2Backend.create_vpc_endpoint = create_vpc_endpoint  # type: ignore[method-assign]


def take_addresses(request: Any, endpoint: Any) -> None:
    """Keep what a request to create or modify says about addresses; moto ignores it."""
    asked = request._get_param("DnsOptions", {})
    if endpoint.vpc_endpoint_type == "Interface":
        endpoint.ip_address_type = request._get_param("IpAddressType") or endpoint.ip_address_type
        endpoint.dns_options = {**endpoint.dns_options, **asked}
