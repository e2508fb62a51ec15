"""Values of parameters whose type says that they exist in the stack's account and Region.

https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-supplied-parameter-types.html

An operation is accepted, and rolled back before its first resource, with the reason that
docs/reference/probes.md (source `parameter-values`) records; a change set fails with it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from clusterwright_localaws.cloudformation.parameters import HIDDEN, Parameter, type_of_values
from clusterwright_localaws.cloudformation.state import Revision
from clusterwright_localaws.core.simplifications import (
    HOSTED_ZONE_PARAMETERS,
    IMAGE_PARAMETERS,
    note,
)
from clusterwright_localaws.iam.stacks import for_stack


@dataclass(frozen=True)
class _Lookup:
    """The call that finds a value, in `member`, and lists what exists in `listed`."""

    operation: str
    member: str
    listed: str
    service: str = "ec2"
    takes_list: bool = True


_LOOKUPS: Final = {
    "AWS::EC2::AvailabilityZone::Name": _Lookup(
        "describe_availability_zones", "ZoneNames", "AvailabilityZones"
    ),
    "AWS::EC2::Instance::Id": _Lookup("describe_instances", "InstanceIds", "Reservations"),
    "AWS::EC2::KeyPair::KeyName": _Lookup("describe_key_pairs", "KeyNames", "KeyPairs"),
    "AWS::EC2::SecurityGroup::GroupName": _Lookup(
        "describe_security_groups", "GroupNames", "SecurityGroups"
    ),
    "AWS::EC2::SecurityGroup::Id": _Lookup(
        "describe_security_groups", "GroupIds", "SecurityGroups"
    ),
    "AWS::EC2::Subnet::Id": _Lookup("describe_subnets", "SubnetIds", "Subnets"),
    "AWS::EC2::VPC::Id": _Lookup("describe_vpcs", "VpcIds", "Vpcs"),
    "AWS::EC2::Volume::Id": _Lookup("describe_volumes", "VolumeIds", "Volumes"),
    "AWS::SSM::Parameter::Name": _Lookup(
        "get_parameter", "Name", "Parameter", service="ssm", takes_list=False
    ),
}
# Which images others have made public is not known here: of those only the form is examined.
_FORMS: Final = {"AWS::EC2::Image::Id": re.compile(r"ami-([0-9a-f]{8}|[0-9a-f]{17})")}
_UNEXAMINED: Final = {
    "AWS::EC2::Image::Id": IMAGE_PARAMETERS,
    "AWS::Route53::HostedZone::Id": HOSTED_ZONE_PARAMETERS,
}


def problem_with(revision: Revision, account: str, region: str) -> str | None:
    """Why an operation with these parameters fails now; None if every value exists.

    A value that the stack may not look up does not exist for it.
    """
    try:
        with for_stack(revision.role_arn):
            absent = [
                f"parameter value {shown}for parameter name {one.name} does not exist"
                for one, shown in _absent(revision, account, region)
            ]
    except PermissionError as error:
        return str(error)
    return f"Parameter validation failed: {', '.join(absent)}" if absent else None


def note_unexamined(revision: Revision) -> None:
    """Say which values the answer of this request did not examine."""
    for one, kind in _typed(revision):
        if kind in _UNEXAMINED and one.value:
            note(_UNEXAMINED[kind])


def _absent(revision: Revision, account: str, region: str) -> Iterator[tuple[Parameter, str]]:
    for one, kind in _typed(revision):
        for value in one.value if isinstance(one.value, list) else [one.value]:
            if not _exists(kind, value, account, region):
                yield one, f"{HIDDEN if one.hidden else value} " if value else ""


def _typed(revision: Revision) -> Iterator[tuple[Parameter, str]]:
    for name, one in revision.parameters.items():
        yield one, type_of_values(str(revision.template.parameters[name]["Type"]))


def _exists(kind: str, value: str, account: str, region: str) -> bool:
    from botocore.exceptions import ClientError

    from clusterwright_localaws.core.boto_clients import client

    if kind in _FORMS:
        return _FORMS[kind].fullmatch(value) is not None
    lookup = _LOOKUPS.get(kind)
    if lookup is None:
        return True
    if not value:
        return False
    asked: dict[str, Any] = {lookup.member: [value] if lookup.takes_list else value}
    try:
        found = getattr(client(lookup.service, account=account, region=region), lookup.operation)(
            **asked
        )
    except ClientError:
        return False
    return bool(found[lookup.listed])
