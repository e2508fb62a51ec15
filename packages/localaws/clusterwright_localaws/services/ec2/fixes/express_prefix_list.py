"""moto has no prefix list of S3 Express One Zone, so that its gateway endpoints get no routes.

Deleting such an endpoint fails with InvalidRoute.NotFound, and leaves the endpoint. AWS has the
managed prefix list `com.amazonaws.<region>.s3express`; its addresses are in no source read here.
https://docs.aws.amazon.com/vpc/latest/userguide/working-with-aws-managed-prefix-lists.html
"""

from __future__ import annotations

from typing import Any

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "EC2: the managed prefix list of S3 Express One Zone exists, so that its gateway endpoints "
    "have routes and can be deleted"
)
REPRODUCTION = """\
ec2 = boto3.client("ec2")
vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
table = ec2.create_route_table(VpcId=vpc)["RouteTable"]["RouteTableId"]
endpoint = ec2.create_vpc_endpoint(
    VpcId=vpc,
    ServiceName=f"com.amazonaws.{ec2.meta.region_name}.s3express",
    VpcEndpointType="Gateway",
    RouteTableIds=[table],
)["VpcEndpoint"]
ec2.delete_vpc_endpoints(VpcEndpointIds=[endpoint["VpcEndpointId"]])
"""


def apply() -> None:
    from moto.ec2.models import EC2Backend

    create_in_moto = EC2Backend.create_default_pls

    def create_default_pls(self: Any) -> None:
        create_in_moto(self)
        self._create_aws_managed_prefix_list(
            name=f"com.amazonaws.{self.region_name}.s3express", address_family="IPv4", entries=[]
        )

    EC2Backend.create_default_pls = create_default_pls  # type: ignore[method-assign]
