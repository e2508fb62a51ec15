"""VPCs and their contents: subnets, routes, gateways, endpoints, flow logs."""

from __future__ import annotations

from typing import Any

from clusterwright_localaws.cloudformation.handler import (
    Context,
    Created,
    Handler,
    HandlerFailure,
    Properties,
)
from clusterwright_localaws.cloudformation.handler_helpers import (
    changed,
    delete_settled,
    difference,
    ec2_tags,
    pick,
    policy_text,
    ready,
    retag_ec2,
    wait_deleted,
)


class Vpc(Handler):
    unsupported_attributes = frozenset({"VpcEncryptionControl"})
    type_name = "AWS::EC2::VPC"
    supported_properties = frozenset(
        {"CidrBlock", "EnableDnsHostnames", "EnableDnsSupport", "InstanceTenancy", "Tags"}
    )

    def create(self, ctx: Context, properties: Properties) -> Created:
        ec2 = ctx.client("ec2")
        vpc_id = ec2.create_vpc(
            **pick(properties, "CidrBlock", "InstanceTenancy"),
            **ec2_tags(ctx, "vpc", properties.get("Tags")),
        )["Vpc"]["VpcId"]
        ctx.identify(vpc_id)
        self._set_dns(ec2, vpc_id, {}, properties)
        return self._described(ctx, vpc_id)

    def update(self, ctx: Context, physical_id: str, old: Properties, new: Properties) -> Created:
        ec2 = ctx.client("ec2")
        self._set_dns(ec2, physical_id, old, new)
        if changed(old, new, "InstanceTenancy"):
            ec2.modify_vpc_tenancy(VpcId=physical_id, InstanceTenancy=new["InstanceTenancy"])
        retag_ec2(ctx, physical_id, old, new)
        return self._described(ctx, physical_id)

    def delete(self, ctx: Context, physical_id: str, properties: Properties) -> None:
        ctx.client("ec2").delete_vpc(VpcId=physical_id)

    def replacing(self, old: Properties, new: Properties) -> set[str]:
        # The tenancy can change in place only from dedicated to default.
        # https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-ec2-vpc.html
        if changed(old, new, "InstanceTenancy") and new.get("InstanceTenancy") != "default":
            return {"InstanceTenancy"}
        return set()

    def read(self, ctx: Context, physical_id: str, properties: Properties) -> Properties:
        ec2 = ctx.client("ec2")
        vpc = ec2.describe_vpcs(VpcIds=[physical_id])["Vpcs"][0]
        actual: dict[str, Any] = pick(vpc, "CidrBlock", "InstanceTenancy")
        for name in ("EnableDnsSupport", "EnableDnsHostnames"):
            answer = ec2.describe_vpc_attribute(
                VpcId=physical_id, Attribute=name[:1].lower() + name[1:]
            )
            actual[name] = answer[name]["Value"]
        return actual

    def _set_dns(self, ec2: Any, vpc_id: str, old: Properties, new: Properties) -> None:
        # AWS's default is DNS support on and host names off.
        for name, default in (("EnableDnsSupport", True), ("EnableDnsHostnames", False)):
            if old.get(name, default) != new.get(name, default):
                ec2.modify_vpc_attribute(VpcId=vpc_id, **{name: {"Value": new.get(name, default)}})

    def _described(self, ctx: Context, vpc_id: str) -> Created:
        ec2 = ctx.client("ec2")
        vpc = ec2.describe_vpcs(VpcIds=[vpc_id])["Vpcs"][0]
        of_vpc = [{"Name": "vpc-id", "Values": [vpc_id]}]
        acls = ec2.describe_network_acls(
            Filters=[*of_vpc, {"Name": "default", "Values": ["true"]}]
        )["NetworkAcls"]
        groups = ec2.describe_security_groups(
            Filters=[*of_vpc, {"Name": "group-name", "Values": ["default"]}]
        )["SecurityGroups"]
        return Created(
            vpc_id,
            {
                "VpcId": vpc_id,
                "CidrBlock": vpc["CidrBlock"],
                "CidrBlockAssociations": [
                    item["AssociationId"] for item in vpc.get("CidrBlockAssociationSet", [])
                ],
                "DefaultNetworkAcl": acls[0]["NetworkAclId"] if acls else "",
                "DefaultSecurityGroup": groups[0]["GroupId"] if groups else "",
                "Ipv6CidrBlocks": [
                    item["Ipv6CidrBlock"] for item in vpc.get("Ipv6CidrBlockAssociationSet", [])
                ],
            },
        )


class VpcCidrBlock(Handler):
    unsupported_attributes = frozenset({"IpSource", "Ipv6AddressAttribute"})
    type_name = "AWS::EC2::VPCCidrBlock"
    supported_properties = frozenset({"AmazonProvidedIpv6CidrBlock", "CidrBlock", "VpcId"})

    def create(self, ctx: Context, properties: Properties) -> Created:
        answer = ctx.client("ec2").associate_vpc_cidr_block(
            **pick(properties, "AmazonProvidedIpv6CidrBlock", "CidrBlock", "VpcId")
        )
        item = answer.get("CidrBlockAssociation") or answer["Ipv6CidrBlockAssociation"]
        found = item["AssociationId"]
        return Created(found, {"Id": found})

    def delete(self, ctx: Context, physical_id: str, properties: Properties) -> None:
        ctx.client("ec2").disassociate_vpc_cidr_block(AssociationId=physical_id)


class Subnet(Handler):
    unsupported_attributes = frozenset({"BlockPublicAccessStates"})
    type_name = "AWS::EC2::Subnet"
    supported_properties = frozenset(
        {
            "AvailabilityZone",
            "AvailabilityZoneId",
            "CidrBlock",
            "MapPublicIpOnLaunch",
            "PrivateDnsNameOptionsOnLaunch",
            "Tags",
            "VpcId",
        }
    )

    def create(self, ctx: Context, properties: Properties) -> Created:
        ec2 = ctx.client("ec2")
        subnet_id = ec2.create_subnet(
            **pick(properties, "AvailabilityZone", "AvailabilityZoneId", "CidrBlock", "VpcId"),
            **ec2_tags(ctx, "subnet", properties.get("Tags")),
        )["Subnet"]["SubnetId"]
        ctx.identify(subnet_id)
        initial = ec2.describe_subnets(SubnetIds=[subnet_id])["Subnets"][0]
        self._set(ec2, subnet_id, pick(initial, "MapPublicIpOnLaunch"), properties)
        return self._described(ctx, subnet_id)

    def update(self, ctx: Context, physical_id: str, old: Properties, new: Properties) -> Created:
        self._set(ctx.client("ec2"), physical_id, old, new)
        retag_ec2(ctx, physical_id, old, new)
        return self._described(ctx, physical_id)

    def delete(self, ctx: Context, physical_id: str, properties: Properties) -> None:
        ctx.client("ec2").delete_subnet(SubnetId=physical_id)

    def read(self, ctx: Context, physical_id: str, properties: Properties) -> Properties:
        found = ctx.client("ec2").describe_subnets(SubnetIds=[physical_id])["Subnets"][0]
        return pick(
            found,
            "AvailabilityZone",
            "AvailabilityZoneId",
            "CidrBlock",
            "MapPublicIpOnLaunch",
            "VpcId",
        )

    def _set(self, ec2: Any, subnet_id: str, old: Properties, new: Properties) -> None:
        name = "MapPublicIpOnLaunch"
        if old.get(name, False) != new.get(name, False):
            ec2.modify_subnet_attribute(
                SubnetId=subnet_id, MapPublicIpOnLaunch={"Value": new.get(name, False)}
            )
        options = new.get("PrivateDnsNameOptionsOnLaunch", {})
        if options != old.get("PrivateDnsNameOptionsOnLaunch", {}):
            # One attribute per call.
            if "HostnameType" in options:
                ec2.modify_subnet_attribute(
                    SubnetId=subnet_id, PrivateDnsHostnameTypeOnLaunch=options["HostnameType"]
                )
            for key in ("EnableResourceNameDnsARecord", "EnableResourceNameDnsAAAARecord"):
                if key in options:
                    ec2.modify_subnet_attribute(
                        SubnetId=subnet_id, **{f"{key}OnLaunch": {"Value": options[key]}}
                    )

    def _described(self, ctx: Context, subnet_id: str) -> Created:
        ec2 = ctx.client("ec2")
        subnet = ec2.describe_subnets(SubnetIds=[subnet_id])["Subnets"][0]
        acls = ec2.describe_network_acls(
            Filters=[{"Name": "association.subnet-id", "Values": [subnet_id]}]
        )["NetworkAcls"]
        association = next(
            (
                item["NetworkAclAssociationId"]
                for acl in acls
                for item in acl["Associations"]
                if item["SubnetId"] == subnet_id
            ),
            "",
        )
        return Created(
            subnet_id,
            {
                "SubnetId": subnet_id,
                "AvailabilityZone": subnet["AvailabilityZone"],
                "AvailabilityZoneId": subnet["AvailabilityZoneId"],
                "CidrBlock": subnet["CidrBlock"],
                "Ipv6CidrBlocks": [],
                "NetworkAclAssociationId": association,
                "VpcId": subnet["VpcId"],
            },
        )


class RouteTable(Handler):
    type_name = "AWS::EC2::RouteTable"

    def create(self, ctx: Context, properties: Properties) -> Created:
        found = ctx.client("ec2").create_route_table(
            VpcId=properties["VpcId"], **ec2_tags(ctx, "route-table", properties.get("Tags"))
        )["RouteTable"]["RouteTableId"]
        return Created(found, {"RouteTableId": found})

    def update(self, ctx: Context, physical_id: str, old: Properties, new: Properties) -> Created:
        retag_ec2(ctx, physical_id, old, new)
        return Created(physical_id, {"RouteTableId": physical_id})

    def delete(self, ctx: Context, physical_id: str, properties: Properties) -> None:
        ctx.client("ec2").delete_route_table(RouteTableId=physical_id)


class SubnetRouteTableAssociation(Handler):
    type_name = "AWS::EC2::SubnetRouteTableAssociation"

    def create(self, ctx: Context, properties: Properties) -> Created:
        found = ctx.client("ec2").associate_route_table(
            RouteTableId=properties["RouteTableId"], SubnetId=properties["SubnetId"]
        )["AssociationId"]
        return Created(found, {"Id": found})

    def delete(self, ctx: Context, physical_id: str, properties: Properties) -> None:
        ctx.client("ec2").disassociate_route_table(AssociationId=physical_id)


_DESTINATIONS = ("DestinationCidrBlock", "DestinationIpv6CidrBlock", "DestinationPrefixListId")
_TARGETS = (
    "CarrierGatewayId",
    "CoreNetworkArn",
    "EgressOnlyInternetGatewayId",
    "GatewayId",
    "InstanceId",
    "LocalGatewayId",
    "NatGatewayId",
    "NetworkInterfaceId",
    "TransitGatewayId",
    "VpcEndpointId",
    "VpcPeeringConnectionId",
)


class Route(Handler):
    type_name = "AWS::EC2::Route"
    unsupported_properties = frozenset({"OdbNetworkArn"})  # moto's CreateRoute does not know it

    def create(self, ctx: Context, properties: Properties) -> Created:
        ctx.client("ec2").create_route(**self._parameters(properties))
        return self._named(properties)

    def update(self, ctx: Context, physical_id: str, old: Properties, new: Properties) -> Created:
        ctx.client("ec2").replace_route(**self._parameters(new))
        return self._named(new)

    def delete(self, ctx: Context, physical_id: str, properties: Properties) -> None:
        ctx.client("ec2").delete_route(**pick(properties, "RouteTableId", *_DESTINATIONS))

    def _parameters(self, properties: Properties) -> dict[str, Any]:
        return pick(properties, "RouteTableId", *_DESTINATIONS, *_TARGETS)

    def _named(self, properties: Properties) -> Created:
        destination = next(
            (properties[name] for name in _DESTINATIONS if name in properties), None
        )
        if destination is None:
            raise HandlerFailure("A route needs a destination", "InvalidRequest")
        return Created(f"{properties['RouteTableId']}|{destination}", {"CidrBlock": destination})


class InternetGateway(Handler):
    type_name = "AWS::EC2::InternetGateway"

    def create(self, ctx: Context, properties: Properties) -> Created:
        found = ctx.client("ec2").create_internet_gateway(
            **ec2_tags(ctx, "internet-gateway", properties.get("Tags"))
        )["InternetGateway"]["InternetGatewayId"]
        return Created(found, {"InternetGatewayId": found})

    def update(self, ctx: Context, physical_id: str, old: Properties, new: Properties) -> Created:
        retag_ec2(ctx, physical_id, old, new)
        return Created(physical_id, {"InternetGatewayId": physical_id})

    def delete(self, ctx: Context, physical_id: str, properties: Properties) -> None:
        ctx.client("ec2").delete_internet_gateway(InternetGatewayId=physical_id)


class VpcGatewayAttachment(Handler):
    type_name = "AWS::EC2::VPCGatewayAttachment"
    unsupported_properties = frozenset({"VpnGatewayId"})

    def create(self, ctx: Context, properties: Properties) -> Created:
        ctx.client("ec2").attach_internet_gateway(
            InternetGatewayId=properties["InternetGatewayId"], VpcId=properties["VpcId"]
        )
        return Created(f"IGW|{properties['VpcId']}", {"AttachmentType": "IGW"})

    def update(self, ctx: Context, physical_id: str, old: Properties, new: Properties) -> Created:
        self.delete(ctx, physical_id, old)
        return self.create(ctx, new)

    def delete(self, ctx: Context, physical_id: str, properties: Properties) -> None:
        ctx.client("ec2").detach_internet_gateway(
            InternetGatewayId=properties["InternetGatewayId"], VpcId=properties["VpcId"]
        )


class Eip(Handler):
    type_name = "AWS::EC2::EIP"
    supported_properties = frozenset({"Domain", "InstanceId", "NetworkBorderGroup", "Tags"})

    def create(self, ctx: Context, properties: Properties) -> Created:
        ec2 = ctx.client("ec2")
        answer = ec2.allocate_address(
            Domain=properties.get("Domain", "vpc"),
            **pick(properties, "NetworkBorderGroup"),
            **ec2_tags(ctx, "elastic-ip", properties.get("Tags")),
        )
        # `Ref` is the address; AWS's physical id contains both, as in the primary identifier.
        created = Created(
            answer["PublicIp"],
            {"AllocationId": answer["AllocationId"], "PublicIp": answer["PublicIp"]},
        )
        ctx.identify(created.physical_id)
        if "InstanceId" in properties:
            ec2.associate_address(
                AllocationId=answer["AllocationId"], InstanceId=properties["InstanceId"]
            )
        return created

    def update(self, ctx: Context, physical_id: str, old: Properties, new: Properties) -> Created:
        ec2 = ctx.client("ec2")
        allocation = self._allocation(ec2, physical_id)
        if changed(old, new, "InstanceId"):
            if "InstanceId" in new:
                ec2.associate_address(
                    AllocationId=allocation,
                    InstanceId=new["InstanceId"],
                    AllowReassociation=True,
                )
            else:
                address = ec2.describe_addresses(AllocationIds=[allocation])["Addresses"][0]
                ec2.disassociate_address(AssociationId=address["AssociationId"])
        retag_ec2(ctx, allocation, old, new)
        return Created(physical_id, {"AllocationId": allocation, "PublicIp": physical_id})

    def delete(self, ctx: Context, physical_id: str, properties: Properties) -> None:
        ec2 = ctx.client("ec2")
        ec2.release_address(AllocationId=self._allocation(ec2, physical_id))

    def _allocation(self, ec2: Any, address: str) -> str:
        found = ec2.describe_addresses(PublicIps=[address])["Addresses"]
        if not found:
            raise HandlerFailure(f"The address {address} does not exist", "NotFound")
        allocation: str = found[0]["AllocationId"]
        return allocation


class NatGateway(Handler):
    # For regional NAT gateways, which are not supported.
    unsupported_attributes = frozenset({"AutoProvisionZones", "AutoScalingIps", "RouteTableId"})
    type_name = "AWS::EC2::NatGateway"
    supported_properties = frozenset(
        {"AllocationId", "ConnectivityType", "PrivateIpAddress", "SubnetId", "Tags"}
    )

    def create(self, ctx: Context, properties: Properties) -> Created:
        ec2 = ctx.client("ec2")
        found = ec2.create_nat_gateway(
            **pick(properties, "AllocationId", "ConnectivityType", "PrivateIpAddress", "SubnetId"),
            **ec2_tags(ctx, "natgateway", properties.get("Tags")),
        )["NatGateway"]["NatGatewayId"]
        ctx.identify(found)
        return self._created(ctx, found)

    def update(self, ctx: Context, physical_id: str, old: Properties, new: Properties) -> Created:
        retag_ec2(ctx, physical_id, old, new)
        return self._created(ctx, physical_id)

    def delete(self, ctx: Context, physical_id: str, properties: Properties) -> None:
        delete_settled(
            ctx,
            lambda: self._described(ctx, physical_id)["State"],
            lambda: ctx.client("ec2").delete_nat_gateway(NatGatewayId=physical_id),
            f"the NAT gateway {physical_id}",
        )

    def _described(self, ctx: Context, gateway: str) -> dict[str, Any]:
        found = ctx.client("ec2").describe_nat_gateways(NatGatewayIds=[gateway])["NatGateways"]
        return found[0] if found else {"State": "deleted"}

    def _created(self, ctx: Context, gateway: str) -> Created:
        found = ready(
            ctx,
            lambda: self._described(ctx, gateway),
            f"the NAT gateway {gateway}",
            status="State",
            wanted="available",
            failure=lambda found: (
                f"{found['FailureCode']}: {found.get('FailureMessage')}"
                if "FailureCode" in found
                else None
            ),
        )
        address = (found.get("NatGatewayAddresses") or [{}])[0]
        return Created(
            gateway,
            {
                "NatGatewayId": gateway,
                "EniId": address.get("NetworkInterfaceId", ""),
                "VpcId": found["VpcId"],
            },
        )


class VpcEndpoint(Handler):
    type_name = "AWS::EC2::VPCEndpoint"
    supported_properties = frozenset(
        {
            "IpAddressType",
            "PolicyDocument",
            "PrivateDnsEnabled",
            "RouteTableIds",
            "SecurityGroupIds",
            "ServiceName",
            "SubnetIds",
            "Tags",
            "VpcEndpointType",
            "VpcId",
        }
    )

    def create(self, ctx: Context, properties: Properties) -> Created:
        ec2 = ctx.client("ec2")
        parameters = pick(
            properties,
            "IpAddressType",
            "PrivateDnsEnabled",
            "RouteTableIds",
            "SecurityGroupIds",
            "ServiceName",
            "SubnetIds",
            "VpcEndpointType",
            "VpcId",
        )
        if "PolicyDocument" in properties:
            parameters["PolicyDocument"] = policy_text(properties["PolicyDocument"])
        found = ec2.create_vpc_endpoint(
            **parameters, **ec2_tags(ctx, "vpc-endpoint", properties.get("Tags"))
        )["VpcEndpoint"]["VpcEndpointId"]
        ctx.identify(found)
        ctx.wait(
            lambda: self._described(ec2, found)["State"].lower() == "available",
            what=f"the endpoint {found} to be available",
        )
        return self._created(ec2, found)

    def update(self, ctx: Context, physical_id: str, old: Properties, new: Properties) -> Created:
        ec2 = ctx.client("ec2")
        parameters: dict[str, Any] = {}
        for name, add, remove in (
            ("RouteTableIds", "AddRouteTableIds", "RemoveRouteTableIds"),
            ("SecurityGroupIds", "AddSecurityGroupIds", "RemoveSecurityGroupIds"),
            ("SubnetIds", "AddSubnetIds", "RemoveSubnetIds"),
        ):
            removed, added = difference(old, new, name)
            parameters |= {k: v for k, v in ((add, added), (remove, removed)) if v}
        if changed(old, new, "PrivateDnsEnabled"):
            parameters["PrivateDnsEnabled"] = new.get("PrivateDnsEnabled", False)
        if changed(old, new, "IpAddressType") and "IpAddressType" in new:
            parameters["IpAddressType"] = new["IpAddressType"]
        if changed(old, new, "PolicyDocument"):
            if "PolicyDocument" in new:
                parameters["PolicyDocument"] = policy_text(new["PolicyDocument"])
            else:
                parameters["ResetPolicy"] = True
        if parameters:
            ec2.modify_vpc_endpoint(VpcEndpointId=physical_id, **parameters)
        retag_ec2(ctx, physical_id, old, new)
        return self._created(ec2, physical_id)

    def delete(self, ctx: Context, physical_id: str, properties: Properties) -> None:
        ec2 = ctx.client("ec2")
        answer = ec2.delete_vpc_endpoints(VpcEndpointIds=[physical_id])
        for failed in answer.get("Unsuccessful", []):
            error = failed["Error"]
            if "NotFound" not in error["Code"]:
                raise HandlerFailure(error["Message"], "GeneralServiceException")
        wait_deleted(
            ctx,
            lambda: self._described(ec2, physical_id)["State"],
            f"the endpoint {physical_id}",
        )

    def _described(self, ec2: Any, endpoint: str) -> Any:
        return ec2.describe_vpc_endpoints(VpcEndpointIds=[endpoint])["VpcEndpoints"][0]

    def _created(self, ec2: Any, endpoint: str) -> Created:
        found = self._described(ec2, endpoint)
        entries = [
            f"{entry.get('HostedZoneId', '')}:{entry.get('DnsName', '')}"
            for entry in found.get("DnsEntries", [])
        ]
        return Created(
            endpoint,
            {
                "Id": endpoint,
                "CreationTimestamp": str(found.get("CreationTimestamp", "")),
                "DnsEntries": entries,
                "NetworkInterfaceIds": list(found.get("NetworkInterfaceIds", [])),
            },
        )


class FlowLog(Handler):
    type_name = "AWS::EC2::FlowLog"
    unsupported_properties = frozenset({"DestinationOptions", "TagFieldSpecifications"})

    def create(self, ctx: Context, properties: Properties) -> Created:
        answer = ctx.client("ec2").create_flow_logs(
            ResourceIds=[properties["ResourceId"]],
            **pick(
                properties,
                "DeliverCrossAccountRole",
                "DeliverLogsPermissionArn",
                "LogDestination",
                "LogDestinationType",
                "LogFormat",
                "LogGroupName",
                "MaxAggregationInterval",
                "ResourceType",
                "TrafficType",
            ),
            **ec2_tags(ctx, "vpc-flow-log", properties.get("Tags")),
        )
        # This API reports failures in its answer.
        for failed in answer.get("Unsuccessful", []):
            raise HandlerFailure(failed["Error"]["Message"], "InvalidRequest")
        found = answer["FlowLogIds"][0]
        return Created(found, {"Id": found})

    def update(self, ctx: Context, physical_id: str, old: Properties, new: Properties) -> Created:
        retag_ec2(ctx, physical_id, old, new)
        return Created(physical_id, {"Id": physical_id})

    def delete(self, ctx: Context, physical_id: str, properties: Properties) -> None:
        ctx.client("ec2").delete_flow_logs(FlowLogIds=[physical_id])
