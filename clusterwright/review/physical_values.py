"""Values of deployed templates, with the physical ids of the resources that they refer to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from clusterwright.review.assembly import Assembly
from clusterwright.review.expressions import Expression
from clusterwright.review.resource_changes import Key, exports

UNRESOLVED: Final = object()
"""A value that only CloudFormation knows."""

_IDS: Final = frozenset(
    {
        "AllocationId",
        "AssociationId",
        "FileSystemId",
        "GroupId",
        "Id",
        "InternetGatewayId",
        "LaunchTemplateId",
        "NatGatewayId",
        "RouteTableId",
        "SubnetId",
        "VpcId",
    }
)
"""Attributes that are the physical id of their resource."""


class PhysicalValues:
    """Resolves expressions of the deployed templates, across stacks."""

    def __init__(self, deployed: Assembly, physical_ids: Mapping[Key, str]) -> None:
        self._deployed = deployed
        self._physical_ids = physical_ids
        self._exports = exports(deployed)

    def of(self, stack: str, value: Expression) -> Any:
        """The value with text as scalars; `UNRESOLVED` where a part of it is not known."""
        if isinstance(value, Mapping):
            return {name: self.of(stack, item) for name, item in value.items()}
        if isinstance(value, list):
            return [self.of(stack, item) for item in value]
        match value:
            case str():
                return value
            case ("ref", name):
                return self._physical_ids.get((stack, str(name))) or UNRESOLVED
            case ("attribute", name, attribute) if attribute in _IDS:
                return self._physical_ids.get((stack, str(name))) or UNRESOLVED
            case ("import", name) if name in self._exports:
                return self.of(*self._exports[name])
            case ("pseudo", name) if name in self._deployed.pseudo_parameters:
                return self._deployed.pseudo_parameters[name]
            case ("join", parts):
                found = [self.of(stack, part) for part in parts]
                known = [part for part in found if isinstance(part, str)]
                return "".join(known) if len(known) == len(found) else UNRESOLVED
        return UNRESOLVED
