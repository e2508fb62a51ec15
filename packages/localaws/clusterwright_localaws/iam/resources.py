"""Which resources a call is about, as ARNs.

The forms of ARNs come from the Service Authorization Reference; what fills them is found in the
request's parameters by name. A resource whose id the request does not give, because it is yet to
be made or AWS resolves it by other means, is `*` in its place, as in AWS's own messages:
`arn:aws:ec2:us-east-1:111122223333:vpc/*`.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from clusterwright_localaws.iam.actions import Action, ResourceType

_PLACEHOLDER = re.compile(r"\$\{(\w+)\}")
_KEYS_OF_TAGS = frozenset({"tags", "tagspecifications", "tag"})

# Where the reference's placeholder and the API's parameter have unlike names: parameters to look
# at instead, for (prefix, resource type).
_PARAMETERS: dict[tuple[str, str], tuple[str, ...]] = {
    ("ec2", "security-group"): ("GroupId", "GroupIds", "SecurityGroupIds"),
    ("ec2", "placement-group"): ("GroupName",),
    ("ec2", "vpc-endpoint"): ("VpcEndpointIds",),
    ("ec2", "vpc-flow-log"): ("FlowLogIds",),
    ("ec2", "elastic-ip"): ("AllocationIds", "AllocationId"),
    ("rds", "cluster"): ("DBClusterIdentifier",),
    ("rds", "db"): ("DBInstanceIdentifier",),
    ("rds", "cluster-pg"): ("DBClusterParameterGroupName",),
    ("rds", "pg"): ("DBParameterGroupName",),
    ("rds", "subgrp"): ("DBSubnetGroupName",),
    ("rds", "cluster-snapshot"): ("DBClusterSnapshotIdentifier",),
    ("rds", "snapshot"): ("DBSnapshotIdentifier",),
    ("rds", "og"): ("OptionGroupName",),
    ("sns", "topic"): ("Name",),
    ("ssm", "parameter"): ("Name", "Names", "Path"),
    ("ssm", "document"): ("Name", "DocumentName"),
    ("secretsmanager", "secret"): ("Name", "SecretId"),
    ("eks", "cluster"): ("clusterName", "name"),
    ("eks", "nodegroup"): ("nodegroupName",),
    ("eks", "addon"): ("addonName",),
    ("eks", "podidentityassociation"): ("associationId",),
    ("cloudwatch", "alarm"): ("AlarmName", "AlarmNames"),
    ("cloudwatch", "dashboard"): ("DashboardName", "DashboardNames"),
    ("budgets", "budget"): ("BudgetName",),
    ("lambda", "function"): ("FunctionName",),
    ("ecr", "repository"): ("repositoryName", "repositoryNames"),
    ("dynamodb", "table"): ("TableName",),
}
# Types of which one action needs no more than those that the request names.
_NAMED_BY_TWO = 2
_SLASHES = frozenset({("ssm", "parameter")})


@dataclass(frozen=True)
class Place:
    """Account and region of a call."""

    partition: str
    region: str
    account: str


# Resolves resources from the state; returns None to use the names.
Special = Callable[[str, ResourceType, Mapping[str, Any], Place], "list[str] | None"]


# Operations in which only these members name the resources of the action.
_ONLY: dict[str, tuple[str, ...]] = {"SimulatePrincipalPolicy": ("PolicySourceArn",)}


def resources_of(
    action: Action, operation: str, parameters: Mapping[str, Any], place: Place, special: Special
) -> list[str]:
    """Return the ARNs that an action is to be allowed for; `["*"]` where it has none."""
    prefix = action.name.split(":")[0]
    if operation in _ONLY:
        parameters = {name: parameters.get(name, "") for name in _ONLY[operation]}
    leaves = _leaves_of(parameters)
    found: list[str] = []
    for kind in action.resource_types:
        if not kind.arn:
            continue
        known = special(prefix, kind, parameters, place)
        if known is None:
            known = _by_arn(kind, leaves) or _by_name(prefix, kind, operation, leaves, place)
        if not known and kind.required:
            known = [_filled(kind, {}, place)]
        found.extend(known)
    return list(dict.fromkeys(found)) or ["*"]


def leaves_of(parameters: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Return every text, number and boolean in a request with the name of its member."""
    if isinstance(parameters, Mapping):
        for name, value in parameters.items():
            if str(name).lower() not in _KEYS_OF_TAGS:
                yield from leaves_of(value, str(name))
    elif isinstance(parameters, (list, tuple)):
        for value in parameters:
            yield from leaves_of(value, path)
    elif isinstance(parameters, bool):
        yield path, "true" if parameters else "false"
    elif isinstance(parameters, (str, int, float)):
        yield path, str(parameters)


def plain(name: str) -> str:
    """Return a name without punctuation and case, to compare names of different documents."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _leaves_of(parameters: Mapping[str, Any]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, value in leaves_of(parameters):
        found.setdefault(plain(name), []).append(value)
    return found


def _by_arn(kind: ResourceType, leaves: Mapping[str, list[str]]) -> list[str]:
    pattern = _expression(kind.arn)
    return [
        value
        for values in leaves.values()
        for value in values
        if value.startswith("arn:") and pattern.fullmatch(value)
    ]


def _by_name(
    prefix: str,
    kind: ResourceType,
    operation: str,
    leaves: Mapping[str, list[str]],
    place: Place,
) -> list[str]:
    names = _own_placeholders(kind.arn)
    if not names:
        return [_filled(kind, {}, place)] if kind.required else []
    if names[-1] == "UUID" and len(names) > _NAMED_BY_TWO:
        # AWS assigns it beside a name: nodegroup/CLUSTER/NAME/UUID.
        names = names[:-1]
    own = _PARAMETERS.get((prefix, kind.name.lower()), ())
    first = _values(prefix, kind, names[-1], operation, leaves, own)
    if not first:
        return []
    filled = {
        name: (_values(prefix, kind, name, operation, leaves) or ["*"])[0] for name in names[:-1]
    }
    return [_filled(kind, {**filled, names[-1]: value}, place) for value in first]


def _values(
    prefix: str,
    kind: ResourceType,
    placeholder: str,
    operation: str,
    leaves: Mapping[str, list[str]],
    own: Sequence[str] = (),
) -> list[str]:
    """Values of the request for a placeholder; `own` are parameters that name the resource."""
    name, short = plain(placeholder), plain(kind.name)
    desired = [plain(one) for one in own]
    desired += [name, f"{name}s"]
    ends: tuple[str, ...] = ("id", "name", "identifier", "ids", "names")
    if len(_own_placeholders(kind.arn)) > 1:
        # Each of several parts is filled from the parameter of its kind: an id is not a name.
        ends = tuple(end for end in ends if name.endswith((end, end.removesuffix("s"))))
    desired += [f"{short}{end}" for end in ends]
    if short in plain(operation):
        desired += [end for end in ("name", "id", "identifier") if end in ends]
    for one in desired:
        values = [value for value in leaves.get(one, ()) if not value.startswith("arn:")]
        if values:
            return [
                value.lstrip("/") if (prefix, kind.name) in _SLASHES else value for value in values
            ]
    return []


def _filled(kind: ResourceType, values: Mapping[str, str], place: Place) -> str:
    always = {"Partition": place.partition, "Region": place.region, "Account": place.account}
    return _PLACEHOLDER.sub(
        lambda match: always.get(match.group(1)) or values.get(match.group(1), "*"), kind.arn
    )


@functools.cache
def _own_placeholders(arn: str) -> tuple[str, ...]:
    return tuple(
        name
        for name in _PLACEHOLDER.findall(arn)
        if name not in ("Partition", "Region", "Account")
    )


@functools.cache
def _expression(arn: str) -> re.Pattern[str]:
    parts = _PLACEHOLDER.split(arn)
    return re.compile(
        "".join(re.escape(part) if index % 2 == 0 else ".+" for index, part in enumerate(parts))
    )
