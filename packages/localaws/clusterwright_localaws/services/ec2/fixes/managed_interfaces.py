"""moto does not manage the network interfaces that endpoints and NAT gateways own."""

from __future__ import annotations

from typing import Any

from clusterwright_localaws.core.runtime import runtime
from clusterwright_localaws.services.ec2.fixes.endpoint_answers import take_addresses

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "EC2: interface endpoints put their security groups on their network interfaces, and gain and "
    "lose interfaces with their subnets; gateway endpoints gain and lose routes with their route "
    "tables; ModifyVpcEndpoint applies PrivateDnsEnabled and ResetPolicy; a deleted NAT gateway "
    "releases its interface and its address; an interface endpoint without security groups has "
    "the default security group of its VPC"
)
REPRODUCTION = """\
ec2 = boto3.client("ec2")
vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
subnet = ec2.create_subnet(VpcId=vpc, CidrBlock="10.0.0.0/24")["Subnet"]["SubnetId"]
group = ec2.create_security_group(GroupName="g", Description="g", VpcId=vpc)["GroupId"]
endpoint = ec2.create_vpc_endpoint(
    VpcId=vpc,
    VpcEndpointType="Interface",
    ServiceName="com.amazonaws.us-east-1.ssm",
    SubnetIds=[subnet],
    SecurityGroupIds=[group],
)["VpcEndpoint"]
(interface,) = ec2.describe_network_interfaces(
    NetworkInterfaceIds=endpoint["NetworkInterfaceIds"]
)["NetworkInterfaces"]
assert [one["GroupId"] for one in interface["Groups"]] == [group]
"""


def apply() -> None:
    _endpoints_own_interfaces()
    _endpoints_heed_every_parameter()
    _nat_gateways_give_up_theirs()


def _endpoints_own_interfaces() -> None:
    from moto.ec2.models import EC2Backend

    create_in_moto = EC2Backend.create_vpc_endpoint
    modify_in_moto = EC2Backend.modify_vpc_endpoint

    def create_vpc_endpoint(self: Any, *arguments: Any, **named: Any) -> Any:
        if not runtime().active:
            return create_in_moto(self, *arguments, **named)
        for group_id in named.get("security_group_ids") or []:
            _group(self, group_id)
        endpoint = create_in_moto(self, *arguments, **named)
        _default_group(self, endpoint)
        _set_groups(self, endpoint)
        return endpoint

    def modify_vpc_endpoint(self: Any, vpc_id: str, *arguments: Any, **named: Any) -> None:
        if not runtime().active:
            modify_in_moto(self, vpc_id, *arguments, **named)
            return
        endpoint = self.describe_vpc_endpoints(vpc_end_point_ids=[vpc_id])[0]
        tables_before = list(endpoint.route_table_ids)
        modify_in_moto(self, vpc_id, *arguments, **named)
        if (endpoint.vpc_endpoint_type or "").lower() == "interface":
            _follow_subnets(self, endpoint)
            _set_groups(self, endpoint)
        elif endpoint.destination_prefix_list_id:
            _follow_tables(self, endpoint, tables_before)

    EC2Backend.create_vpc_endpoint = create_vpc_endpoint  # type: ignore[method-assign]
    EC2Backend.modify_vpc_endpoint = modify_vpc_endpoint  # type: ignore[method-assign]


def _endpoints_heed_every_parameter() -> None:
    from moto.ec2.responses import EC2Response

    answer_in_moto = EC2Response.modify_vpc_endpoint

    def modify_vpc_endpoint(self: Any) -> Any:
        answered = answer_in_moto(self)
        if runtime().active:
            endpoint = self.ec2_backend.describe_vpc_endpoints(
                vpc_end_point_ids=[self._get_param("VpcEndpointId")]
            )[0]
            private = self._get_bool_param("PrivateDnsEnabled")
            if private is not None:
                endpoint.private_dns_enabled = private
            if self._get_bool_param("ResetPolicy", False):
                endpoint.policy_document = endpoint.default_policy_document
            take_addresses(self, endpoint)
        return answered

    EC2Response.modify_vpc_endpoint = modify_vpc_endpoint  # type: ignore[method-assign]


def _nat_gateways_give_up_theirs() -> None:
    from moto.ec2.models import EC2Backend

    delete_in_moto = EC2Backend.delete_nat_gateway

    def delete_nat_gateway(self: Any, nat_gateway_id: str) -> Any:
        gateway = delete_in_moto(self, nat_gateway_id)
        if runtime().active:
            for address in gateway.address_set:
                association = address.get("associationId")
                if association:
                    self.disassociate_address(association_id=association)
            self.enis.pop(gateway._eni.id, None)
        return gateway

    EC2Backend.delete_nat_gateway = delete_nat_gateway  # type: ignore[method-assign]


def _default_group(ec2: Any, endpoint: Any) -> None:
    """Give an interface endpoint without security groups the VPC's default security group.

    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateVpcEndpoint.html
    """
    if (endpoint.vpc_endpoint_type or "").lower() != "interface" or endpoint.security_group_ids:
        return
    default = ec2.get_default_security_group(endpoint.vpc_id)
    if default is not None:
        endpoint.security_group_ids = [default.id]


def _set_groups(ec2: Any, endpoint: Any) -> None:
    if (endpoint.vpc_endpoint_type or "").lower() != "interface":
        return
    groups = [_group(ec2, group_id) for group_id in endpoint.security_group_ids or []]
    for eni_id in endpoint.network_interface_ids or []:
        eni = ec2.enis.get(eni_id)
        if eni is not None:
            eni._group_set = list(groups)
            eni.status = "in-use"
            eni.interface_type = "vpc_endpoint"
            eni.description = f"VPC Endpoint Interface {endpoint.id}"


def _group(ec2: Any, group_id: str) -> Any:
    from moto.ec2.exceptions import InvalidSecurityGroupNotFoundError

    group = ec2.get_security_group_from_id(group_id)
    if group is None:
        raise InvalidSecurityGroupNotFoundError(group_id)
    return group


def _follow_subnets(ec2: Any, endpoint: Any) -> None:
    present = {}
    for eni_id in list(endpoint.network_interface_ids or []):
        eni = ec2.enis.get(eni_id)
        if eni is None or eni.subnet.id not in endpoint.subnet_ids:
            ec2.enis.pop(eni_id, None)
        else:
            present[eni.subnet.id] = eni_id
    for subnet_id in endpoint.subnet_ids:
        if subnet_id not in present:
            present[subnet_id] = ec2.create_network_interface(subnet_id, []).id
    endpoint.network_interface_ids = list(present.values())


def _follow_tables(ec2: Any, endpoint: Any, before: list[str]) -> None:
    prefix_list = endpoint.destination_prefix_list_id
    for table in before:
        if table not in endpoint.route_table_ids:
            ec2.delete_route(table, prefix_list)
    for table in endpoint.route_table_ids:
        if table not in before:
            ec2.create_route(
                table, None, gateway_id=endpoint.id, destination_prefix_list_id=prefix_list
            )
