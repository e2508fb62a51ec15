"""Details of existing file systems: network interfaces and associations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from clusterwright.aws import fsx
from clusterwright.aws.ec2 import network_interfaces
from clusterwright.preflight.facts.fact import Fact, Reading, answered, ask


@dataclass(frozen=True)
class InterfaceGroups(Fact[frozenset[frozenset[str]]]):
    """The security groups of each network interface of a file system; empty if there is none."""

    file_system_id: str
    actions: ClassVar = ("fsx:DescribeFileSystems", "ec2:DescribeNetworkInterfaces")

    def read(self) -> Reading[frozenset[frozenset[str]]]:
        (found,) = yield [ask(fsx.file_systems)]
        for one in answered(found):
            if one.id == self.file_system_id and one.interface_ids:
                (groups,) = yield [ask(network_interfaces.interface_groups, one.interface_ids)]
                result: frozenset[frozenset[str]] = answered(groups)
                return result
        return frozenset()


@dataclass(frozen=True)
class Associations(Fact[tuple[fsx.DataRepositoryAssociation, ...]]):
    """The associations of a Lustre file system with buckets."""

    file_system_id: str
    actions: ClassVar = ("fsx:DescribeDataRepositoryAssociations",)
    inventory: ClassVar = True
    function: ClassVar = fsx.associations


@dataclass(frozen=True)
class FreeCapacity(Fact[float | None]):
    """The free space of a Lustre file system in GiB; None without a datapoint in CloudWatch."""

    file_system_id: str
    actions: ClassVar = ("cloudwatch:GetMetricStatistics",)
    inventory: ClassVar = True  # a file system without clients has no datapoint
    function: ClassVar = fsx.free_capacity_gib
