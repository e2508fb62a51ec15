"""The network: one zone for training, closed by default."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from clusterwright.cluster_spec.models import formats
from clusterwright.cluster_spec.models.base import (
    Cidr,
    LogRetentionDays,
    Model,
    SecurityGroupId,
    SubnetId,
    VpcId,
)

ZoneId = Annotated[
    str, Field(pattern=formats.ZONE.pattern, max_length=40, examples=[formats.ZONE.example])
]


class ExistingNetwork(Model):
    """A network that somebody else owns: it is used, never altered."""

    vpc_id: VpcId
    """The VPC."""

    subnet_ids: Annotated[
        list[SubnetId], Field(min_length=1, max_length=16, examples=[[formats.SUBNET_ID.example]])
    ]
    """Subnets of the nodes, all in `availability_zone_id` (EFA never crosses a zone)."""

    security_group_ids: Annotated[
        list[SecurityGroupId],
        Field(min_length=1, max_length=5, examples=[[formats.SECURITY_GROUP_ID.example]]),
    ]
    """Groups that every node carries; each must allow all traffic from and to itself."""

    database_subnet_ids: list[SubnetId] = []
    """Subnets in two zones for the accounting database, where one is created."""

    control_plane_subnet_ids: Annotated[list[SubnetId], Field(max_length=16)] = []
    """Subnets in two zones for the control plane of EKS, with six free addresses each."""


class Network(Model):
    """Where the cluster stands."""

    cidr: Cidr = "10.0.0.0/16"
    """The VPC's address range, /16 to /28."""

    secondary_cidrs: Annotated[list[Cidr], Field(max_length=4)] = []
    """Further ranges. With one, the nodes may fill the first; EFA Lustre stays with the nodes."""

    availability_zone_id: ZoneId
    """The zone of nodes and file systems, by id (`use1-az6`): names differ per account."""

    second_availability_zone_id: ZoneId | None = None
    """Only for what demands two, the accounting database and EKS; from the catalogue if absent."""

    egress: Literal["closed", "nat"] = "closed"
    """closed: no way to the internet, an endpoint for every service used. nat: a NAT gateway."""

    address_headroom_percent: Annotated[int, Field(ge=0, le=100)] = 10
    """Free addresses beyond the nodes' own, for replacing nodes while the old ones still exist."""

    flow_log_retention_days: LogRetentionDays = 90
    """How long records of the network's traffic are kept."""

    peered_cidrs: Annotated[list[Cidr], Field(max_length=100)] = []
    """Ranges of networks that the VPC is, or will be, connected to: peered ones, offices, VPNs."""

    existing: ExistingNetwork | None = None
    """Use this network instead of building one."""
