"""The network of the cluster."""

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
    """An existing network, which is used and never modified."""

    vpc_id: VpcId
    """The id of the VPC."""

    subnet_ids: Annotated[
        list[SubnetId], Field(min_length=1, max_length=16, examples=[[formats.SUBNET_ID.example]])
    ]
    """Subnets of the nodes, all in `availability_zone_id` (EFA never crosses a zone)."""

    security_group_ids: Annotated[
        list[SecurityGroupId],
        Field(min_length=1, max_length=5, examples=[[formats.SECURITY_GROUP_ID.example]]),
    ]
    """Security groups of every node; each must allow all traffic from and to itself."""

    database_subnet_ids: list[SubnetId] = []
    """Subnets in two zones for the accounting database, if one is created."""

    control_plane_subnet_ids: Annotated[list[SubnetId], Field(max_length=16)] = []
    """Subnets in two zones for the EKS control plane, with at least six free addresses each."""

    owner_account: (
        Annotated[str, Field(pattern=formats.ACCOUNT.pattern, examples=[formats.ACCOUNT.example])]
        | None
    ) = None
    """The account that shares the subnets through AWS RAM; not with ParallelCluster."""


class Network(Model):
    """The network of the cluster."""

    cidr: Cidr = "10.0.0.0/16"
    """CIDR range of the VPC, /16 to /28."""

    secondary_cidrs: Annotated[list[Cidr], Field(max_length=4)] = []
    """Secondary CIDR ranges. With one, nodes may use the whole primary range; EFA-enabled Lustre
    stays in the range of the nodes."""

    availability_zone_id: ZoneId
    """The zone of nodes and file systems, by id (`use1-az6`): names differ per account."""

    second_availability_zone_id: ZoneId | None = None
    """For resources that require two zones: the accounting database and EKS. From the catalogue if
    absent."""

    egress: Literal["closed", "nat"] = "closed"
    """closed: no internet access, VPC endpoints for the services used. nat: a NAT gateway."""

    address_headroom_percent: Annotated[int, Field(ge=0, le=100)] = 10
    """Additional free addresses, for new nodes while the nodes they replace still exist."""

    flow_log_retention_days: LogRetentionDays = 90
    """Retention of VPC flow logs."""

    peered_cidrs: Annotated[list[Cidr], Field(max_length=100)] = []
    """CIDR ranges of connected networks, such as peered VPCs, offices and VPNs, now or in
    future."""

    existing: ExistingNetwork | None = None
    """An existing network to use instead of creating one."""
