"""The stack of the network: one zone for training, and a second one only if required."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import aws_cdk as cdk
from aws_cdk import aws_ec2 as ec2
from constructs import Construct

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.models.network import ExistingNetwork
from clusterwright.cluster_spec.security_groups import existing_storage_groups
from clusterwright.platforms.hyperpod_eks import inference
from clusterwright.platforms.network import NetworkPlan, PlannedSubnet
from stacks.base.acknowledge import ignore_lint
from stacks.base.cluster_stack import ClusterStack
from stacks.network.endpoints import Endpoints
from stacks.network.flow_logs import FlowLogs
from stacks.network.security_groups import EVERYWHERE, SecurityGroups


@dataclass(frozen=True)
class Attachments:
    """Subnets and security groups for the cluster, in a created or an existing network."""

    vpc_id: str
    node_subnet_ids: Sequence[str]
    node_security_group_ids: Sequence[str]
    lustre_security_group_ids: Sequence[str]
    home_security_group_ids: Sequence[str]
    database_security_group_ids: Sequence[str]
    database_subnet_ids: Sequence[str]
    control_plane_security_group_ids: Sequence[str] = ()
    control_plane_subnet_ids: Sequence[str] = ()
    controller_security_group_ids: Sequence[str] = ()
    """Groups of Slurm's controller in addition to those of every node: they open the accounting
    database. None in an existing network, whose groups are used unchanged."""


def existing_attachments(cluster: Cluster, network: ExistingNetwork) -> Attachments:
    """An existing network: its security groups allow all traffic among members, for all uses.

    Nothing is added to it: no rule, endpoint or flow log.
    """
    own = list(network.security_group_ids)
    return Attachments(
        vpc_id=network.vpc_id,
        node_subnet_ids=list(network.subnet_ids),
        node_security_group_ids=[*own, *existing_storage_groups(cluster)],
        lustre_security_group_ids=own,
        home_security_group_ids=own,
        database_security_group_ids=own,
        database_subnet_ids=list(network.database_subnet_ids),
        # EKS accepts four groups in addition to its own (AWS General Reference, quota L-11427A54).
        control_plane_security_group_ids=own[:4],
        control_plane_subnet_ids=list(network.control_plane_subnet_ids),
    )


class NetworkStack(ClusterStack):
    """VPC, subnets, routes, endpoints, security groups with their rules, flow logs."""

    NAME_SUFFIX = "network"

    def __init__(
        self, scope: Construct, cluster: Cluster, plan: NetworkPlan, *, key_arn: str
    ) -> None:
        super().__init__(scope, cluster, description="VPC, endpoints, security groups, flow logs")
        self.vpc = ec2.CfnVPC(
            self,
            "Vpc",
            cidr_block=cluster.network.cidr,
            enable_dns_hostnames=True,
            enable_dns_support=True,
            tags=[cdk.CfnTag(key="Name", value=cluster.environment)],
        )
        ranges = [
            ec2.CfnVPCCidrBlock(
                self, f"Range{index}", vpc_id=self.vpc.attr_vpc_id, cidr_block=cidr
            )
            for index, cidr in enumerate(cluster.network.secondary_cidrs, start=2)
        ]
        self.private_routes = self._route_table("PrivateRoutes")
        self.subnets = {
            planned.name: self._subnet(planned, after=ranges) for planned in plan.subnets
        }
        groups = SecurityGroups(self, "Groups", cluster, vpc_id=self.vpc.attr_vpc_id)
        FlowLogs(self, "FlowLogs", cluster, vpc_id=self.vpc.attr_vpc_id, key_arn=key_arn)
        Endpoints(
            self,
            "Endpoints",
            cluster,
            vpc_id=self.vpc.attr_vpc_id,
            route_table_ids=[self.private_routes.attr_route_table_id],
            subnet_id=self._ids(plan, "endpoints", "nodes")[0],
            security_group_id=_id(groups.endpoints),
        )
        if cluster.network.egress == "nat":
            self._nat(plan)
        self.attachments = Attachments(
            vpc_id=self.vpc.attr_vpc_id,
            node_subnet_ids=self._ids(plan, "nodes"),
            node_security_group_ids=[
                groups.nodes.attr_group_id,
                *existing_storage_groups(cluster),
            ],
            lustre_security_group_ids=_ids(groups.lustre),
            home_security_group_ids=_ids(groups.home),
            database_security_group_ids=_ids(groups.database),
            database_subnet_ids=self._ids(plan, "database"),
            control_plane_security_group_ids=_ids(groups.control_plane),
            control_plane_subnet_ids=self._ids(plan, "control"),
            controller_security_group_ids=_ids(groups.controller),
        )
        self._outputs(groups.nodes.attr_group_id)

    def _outputs(self, node_group_id: str) -> None:
        """Outputs with which another cluster can use this network: `clusterwright migrate
        --outputs`.

        External groups of the nodes are in the spec already.
        """
        there = self.attachments
        outputs = {
            "VpcId": [there.vpc_id],
            "NodeSubnetIds": there.node_subnet_ids,
            "NodeSecurityGroupIds": [node_group_id],
            "LustreSecurityGroupIds": there.lustre_security_group_ids,
            "HomeSecurityGroupIds": there.home_security_group_ids,
            "DatabaseSubnetIds": there.database_subnet_ids,
            "ControlPlaneSubnetIds": there.control_plane_subnet_ids,
        }
        for name, ids in outputs.items():
            if ids:
                value = ids[0] if len(ids) == 1 else cdk.Fn.join(",", list(ids))
                cdk.CfnOutput(self, name, value=value)

    def _route_table(self, name: str) -> ec2.CfnRouteTable:
        return ec2.CfnRouteTable(
            self,
            name,
            vpc_id=self.vpc.attr_vpc_id,
            tags=[cdk.CfnTag(key="Name", value=f"{self.cluster.environment}-{name}")],
        )

    def _subnet(
        self, planned: PlannedSubnet, *, after: Sequence[ec2.CfnVPCCidrBlock]
    ) -> ec2.CfnSubnet:
        logical = f"{planned.name.capitalize()}Subnet"
        # Zones are identified by id, because names differ between accounts; the catalogue has only
        # the names of local zones.
        by_name = re.fullmatch(rf"{self.cluster.region}-[a-z]{{3}}-\d[a-z]", planned.zone)
        subnet = ec2.CfnSubnet(
            self,
            logical,
            vpc_id=self.vpc.attr_vpc_id,
            cidr_block=planned.cidr,
            availability_zone=planned.zone if by_name else None,
            availability_zone_id=None if by_name else planned.zone,
            map_public_ip_on_launch=False,
            tags=[
                cdk.CfnTag(key="Name", value=f"{self.cluster.environment}-{planned.name}"),
                *(
                    cdk.CfnTag(key=key, value="1")
                    for key in inference.subnet_tags(self.cluster, planned.purpose)
                ),
            ],
        )
        if by_name:
            ignore_lint(subnet, "W3010", "a local zone, whose name is the same in every account")
        for block in after:
            subnet.add_resource_dependency(block)
        if planned.purpose != "public":
            ec2.CfnSubnetRouteTableAssociation(
                self,
                f"{logical}Routes",
                subnet_id=subnet.attr_subnet_id,
                route_table_id=self.private_routes.attr_route_table_id,
            )
        return subnet

    def _nat(self, plan: NetworkPlan) -> None:
        """One NAT gateway in the training zone: if the zone fails, training fails too."""
        gateway = ec2.CfnInternetGateway(
            self,
            "InternetGateway",
            tags=[cdk.CfnTag(key="Name", value=self.cluster.environment)],
        )
        attachment = ec2.CfnVPCGatewayAttachment(
            self,
            "InternetGatewayAttachment",
            vpc_id=self.vpc.attr_vpc_id,
            internet_gateway_id=gateway.attr_internet_gateway_id,
        )
        public_routes = self._route_table("PublicRoutes")
        public = self._route("PublicDefault", public_routes)
        public.gateway_id = gateway.attr_internet_gateway_id
        public.add_resource_dependency(attachment)
        subnet_id = self._ids(plan, "public")[0]
        association = ec2.CfnSubnetRouteTableAssociation(
            self,
            "PublicSubnetRoutes",
            subnet_id=subnet_id,
            route_table_id=public_routes.attr_route_table_id,
        )
        address = ec2.CfnEIP(self, "NatAddress", domain="vpc")
        # An address can be released only while the internet gateway is attached.
        address.add_resource_dependency(attachment)
        nat = ec2.CfnNatGateway(
            self,
            "NatGateway",
            subnet_id=subnet_id,
            allocation_id=address.attr_allocation_id,
            tags=[cdk.CfnTag(key="Name", value=self.cluster.environment)],
        )
        nat.add_resource_dependency(public)
        nat.add_resource_dependency(association)
        self._route("PrivateDefault", self.private_routes).nat_gateway_id = nat.attr_nat_gateway_id

    def _route(self, name: str, table: ec2.CfnRouteTable) -> ec2.CfnRoute:
        return ec2.CfnRoute(
            self,
            name,
            route_table_id=table.attr_route_table_id,
            destination_cidr_block=EVERYWHERE,
        )

    def _ids(self, plan: NetworkPlan, *purposes: str) -> list[str]:
        """Ids of the subnets of the first purpose that has subnets."""
        for purpose in purposes:
            found = [
                self.subnets[planned.name].attr_subnet_id
                for planned in plan.subnets
                if planned.purpose == purpose
            ]
            if found:
                return found
        return []


def _id(group: ec2.CfnSecurityGroup | None) -> str | None:
    return None if group is None else group.attr_group_id


def _ids(group: ec2.CfnSecurityGroup | None) -> list[str]:
    return [] if group is None else [group.attr_group_id]
