"""Enforcement of the organisation's tag policy in EC2.

Only tags of a request are checked: those in its TagSpecifications, and CreateTags. Tags of launch
templates are not checked at launch. Other services refuse with other codes (SNS: TagPolicy), which
their models lack, and do not enforce the policy here.

Sources: Organizations user guide, "Enforce tagging consistency"; EC2's code and message for a
value as users quote them (runs-on/runs-on#485). The message for a key's capitalization is ours.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.worlds.model import TagKeyRule, World


def check(world: World, operation: str, parameters: Mapping[str, Any]) -> None:
    """Check one call of EC2 against the world's tag policy.

    Raises
    ------
    AwsError
        TagPolicyViolation.
    """
    policy = None if world.organization is None else world.organization.tag_policy
    if policy is None:
        return
    rules = {name.lower(): (name, rule) for name, rule in policy.tags.items()}
    for kind, key, value in _tags(operation, parameters):
        name, rule = rules.get(key.lower(), (key, None))
        if rule is None or not _enforced(rule, kind):
            continue
        if key != (rule.tag_key or name.lower()):
            message = "The tag policy does not allow the capitalization of the following tag key"
        elif not _allowed(rule, value):
            message = "The tag policy does not allow the specified value for the following tag key"
        else:
            continue
        raise AwsError("TagPolicyViolation", f"{message}: '{key}'.", 400)


def _tags(operation: str, parameters: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield resource type, key and value of each tag."""
    for specification in parameters.get("TagSpecifications") or ():
        for tag in specification.get("Tags") or ():
            yield specification.get("ResourceType", ""), tag.get("Key", ""), tag.get("Value", "")
    if operation == "CreateTags":
        for resource in parameters.get("Resources") or ():
            for tag in parameters.get("Tags") or ():
                yield _type_of(resource), tag.get("Key", ""), tag.get("Value", "")


def _type_of(resource: str) -> str:
    """Return the resource type of an id's prefix, by moto's table; the prefix where it is
    unknown.
    """
    from moto.ec2.utils import EC2_PREFIX_TO_RESOURCE

    prefix = resource.rpartition("-")[0]
    kind = EC2_PREFIX_TO_RESOURCE.get(prefix, prefix)
    return _TYPES.get(kind, kind)


# moto's names that are not EC2's ResourceType.
_TYPES: Mapping[str, str] = {
    "dedicated_host": "dedicated-host",
    "flow-logs": "vpc-flow-log",
    "managed-prefix-list": "prefix-list",
    "nat-gateway": "natgateway",
    "reserved-instance": "reserved-instances",
    "spot-instance-request": "spot-instances-request",
    "vpc-elastic-ip": "elastic-ip",
}


def _enforced(rule: TagKeyRule, kind: str) -> bool:
    named = {f"ec2:{kind}", "ec2:ALL_SUPPORTED", "ec2:*"}
    return bool(named & set(rule.enforced_for or ()))


def _allowed(rule: TagKeyRule, value: str) -> bool:
    if rule.tag_value is None:
        return True
    for pattern in rule.tag_value:
        head, star, tail = pattern.partition("*")
        if value == pattern:
            return True
        fits = value.startswith(head) and value.endswith(tail)
        if star and fits and len(value) >= len(head) + len(tail):
            return True
    return False
