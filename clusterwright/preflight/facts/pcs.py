"""Clusters of AWS PCS in the account, and where AWS offers PCS."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from clusterwright.aws import pcs, ssm
from clusterwright.aws.session import AwsSession
from clusterwright.preflight.facts.fact import Fact


@dataclass(frozen=True)
class PcsClusters(Fact[Mapping[str, str]]):
    """The status of every PCS cluster of the account in the region, by name."""

    inventory: ClassVar = True
    actions: ClassVar = ("pcs:ListClusters",)
    function: ClassVar = pcs.cluster_statuses


@dataclass(frozen=True)
class PcsCluster(Fact[pcs.Cluster | None]):
    """A PCS cluster; None if there is none of that name."""

    name: str
    actions: ClassVar = ("pcs:GetCluster",)
    # IAM knows clusters by their ids, which the name does not show.
    resource: ClassVar = "arn:{partition}:pcs:{region}:{account}:cluster/*"
    function: ClassVar = pcs.cluster


@dataclass(frozen=True)
class PcsImages(Fact[frozenset[str] | None]):
    """The images of a PCS cluster's active groups; None if there is no cluster of that name."""

    name: str
    actions: ClassVar = ("pcs:ListComputeNodeGroups", "pcs:GetComputeNodeGroup")
    # IAM knows clusters by their ids, which the name does not show.
    resource: ClassVar = "arn:{partition}:pcs:{region}:{account}:cluster/*"
    function: ClassVar = pcs.images


def _is_offered(session: AwsSession, region: str, service: str) -> bool:
    name = f"/aws/service/global-infrastructure/regions/{region}/services/{service}"
    return ssm.parameter(session, name) is not None


@dataclass(frozen=True)
class ServiceOffered(Fact[bool]):
    """Whether AWS's public parameters list a service in a region."""

    of_region: str
    service: str
    actions: ClassVar = ("ssm:GetParameter",)
    function: ClassVar = _is_offered
