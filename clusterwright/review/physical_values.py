"""Values of deployed templates, with the physical ids of the resources that they refer to."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any, Final

from clusterwright.review.assembly import Assembly
from clusterwright.review.expressions import Expression
from clusterwright.review.resource_changes import Key, ResourceVersion, exports, resources_of

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

_ARNS: Final[Mapping[str, str]] = {
    "AWS::ECR::Repository": "ecr:{region}:{account}:repository/{id}",
    "AWS::EKS::Cluster": "eks:{region}:{account}:cluster/{id}",
    "AWS::IAM::InstanceProfile": "iam::{account}:instance-profile{path}{id}",
    "AWS::IAM::Role": "iam::{account}:role{path}{id}",
    "AWS::KMS::Key": "kms:{region}:{account}:key/{id}",
    "AWS::Lambda::Function": "lambda:{region}:{account}:function:{id}",
    "AWS::Logs::LogGroup": "logs:{region}:{account}:log-group:{id}:*",
    "AWS::S3::Bucket": "s3:::{id}",
    "AWS::S3Express::DirectoryBucket": "s3express:{region}:{account}:bucket/{id}",
    "AWS::SQS::Queue": "sqs:{region}:{account}:{last}",
}
"""The attribute `Arn` by type, without `arn:PARTITION:` (Service Authorization Reference, resource
types); `last` is the last part of a physical id that is a URL. The physical id of other types is
their ARN.
"""


class PhysicalValues:
    """Resolves expressions of the deployed templates, across stacks."""

    def __init__(self, deployed: Assembly, physical_ids: Mapping[Key, str]) -> None:
        self._deployed = deployed
        self._physical_ids = physical_ids
        self._exports = exports(deployed)

    @functools.cached_property
    def _resources(self) -> dict[Key, ResourceVersion]:
        return resources_of(self._deployed)

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
            case ("attribute", name, attribute) if attribute.endswith("Arn"):
                return self._arn((stack, str(name)), str(attribute))
            case ("import", name) if name in self._exports:
                return self.of(*self._exports[name])
            case ("pseudo", name) if name in self._deployed.pseudo_parameters:
                return self._deployed.pseudo_parameters[name]
            case ("join", parts):
                found = [self.of(stack, part) for part in parts]
                known = [part for part in found if isinstance(part, str)]
                return "".join(known) if len(known) == len(found) else UNRESOLVED
        return UNRESOLVED

    def _arn(self, key: Key, attribute: str) -> Any:
        identifier, side = self._physical_ids.get(key), self._resources.get(key)
        if not identifier or side is None:
            return UNRESOLVED
        form = _ARNS.get(side.type)
        if form is None:
            # The attribute of a type may be the ARN of another resource, such as of a secret.
            own = attribute == "Arn" or side.type.endswith(f"::{attribute.removesuffix('Arn')}")
            return identifier if own and identifier.startswith("arn:") else UNRESOLVED
        known = self._deployed.pseudo_parameters
        names = {
            "partition": "AWS::Partition",
            "region": "AWS::Region",
            "account": "AWS::AccountId",
        }
        path = self.of(key[0], side.properties.get("Path", "/"))
        if (
            attribute != "Arn"
            or not isinstance(path, str)
            or not known.keys() >= {*names.values()}
        ):
            return UNRESOLVED
        return f"arn:{{partition}}:{form}".format(
            id=identifier,
            last=identifier.rpartition("/")[2],
            path=path,
            **{name: known[pseudo] for name, pseudo in names.items()},
        )
