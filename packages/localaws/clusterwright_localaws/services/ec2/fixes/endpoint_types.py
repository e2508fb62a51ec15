"""moto's endpoints without a type have none, and cannot be deleted.

"VpcEndpointType: The type of endpoint. Default: Gateway":
https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateVpcEndpoint.html
"""

from __future__ import annotations

from typing import Any

MOTO_VERSION = "5.2.5"
DESCRIPTION = "EC2: a VPC endpoint that is created without a type is a gateway endpoint"
REPRODUCTION = """\
ec2 = boto3.client("ec2")
vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
service = f"com.amazonaws.{ec2.meta.region_name}.s3"
endpoint = ec2.create_vpc_endpoint(VpcId=vpc, ServiceName=service)["VpcEndpoint"]
assert endpoint["VpcEndpointType"] == "Gateway"
ec2.delete_vpc_endpoints(VpcEndpointIds=[endpoint["VpcEndpointId"]])
"""


def apply() -> None:
    from moto.ec2.models import EC2Backend

    create_in_moto = EC2Backend.create_vpc_endpoint

    def create_vpc_endpoint(self: Any, *arguments: Any, **named: Any) -> Any:
        endpoint = create_in_moto(self, *arguments, **named)
        endpoint.vpc_endpoint_type = endpoint.vpc_endpoint_type or "Gateway"
        return endpoint

    EC2Backend.create_vpc_endpoint = create_vpc_endpoint  # type: ignore[method-assign]
