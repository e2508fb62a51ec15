"""Stack policies: which resources an update may change, replace or delete.

https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/protect-stack-resources.html
"""

from __future__ import annotations

import fnmatch
import json
from collections.abc import Mapping
from typing import Any

from clusterwright_localaws.cloudformation.errors import ValidationError

ACTIONS = MODIFY, REPLACE, DELETE = "Update:Modify", "Update:Replace", "Update:Delete"


def read_policy(text: str) -> Mapping[str, Any]:
    """Parse and check a stack policy.

    Raises
    ------
    ValidationError
        It is not a JSON object with statements of the form that stack policies have.
    """
    try:
        policy = json.loads(text)
    except ValueError:
        raise ValidationError("Error validating stack policy: Invalid stack policy") from None
    statements = policy.get("Statement") if isinstance(policy, Mapping) else None
    if not isinstance(statements, list):
        raise ValidationError("Error validating stack policy: Invalid stack policy")
    for statement in statements:
        if (
            not isinstance(statement, Mapping)
            or statement.get("Effect") not in ("Allow", "Deny")
            or not _acts(statement.get("Action", statement.get("NotAction")))
            or not ({"Resource", "NotResource"} & set(statement))
            or statement.get("Principal") != "*"
        ):
            raise ValidationError("Error validating stack policy: Invalid stack policy")
    return dict(policy)


def _acts(patterns: Any) -> bool:
    """Return whether there are patterns, each of which names an action on an update."""
    listed = [patterns] if isinstance(patterns, str) else patterns
    return (
        isinstance(listed, list)
        and bool(listed)
        and all(any(_any(one, action) for action in ACTIONS) for one in listed)
    )


def refusal(
    policy: Mapping[str, Any] | None, action: str, logical_id: str, resource_type: str
) -> str | None:
    """Return why a policy denies an action on a resource, or None where it allows it.

    Without a policy everything is allowed. With one, everything that it does not allow is
    denied, and a denial wins over an allowance.
    """
    if policy is None:
        return None
    allowed = False
    for number, statement in enumerate(policy["Statement"], start=1):
        if not _applies(statement, action, logical_id, resource_type):
            continue
        if statement["Effect"] == "Deny":
            return (
                f"Action denied by stack policy: Statement [#{number}] does not allow [{action}] "
                f"for resource [LogicalResourceId/{logical_id}]"
            )
        allowed = True
    if allowed:
        return None
    return (
        f"Action denied by stack policy: No statement allows [{action}] for resource "
        f"[LogicalResourceId/{logical_id}]"
    )


def _applies(
    statement: Mapping[str, Any], action: str, logical_id: str, resource_type: str
) -> bool:
    if "Action" in statement:
        acts = _any(statement["Action"], action)
    else:
        acts = not _any(statement["NotAction"], action)
    name = f"LogicalResourceId/{logical_id}"
    if "Resource" in statement:
        names = _any(statement["Resource"], name)
    else:
        names = not _any(statement["NotResource"], name)
    return acts and names and _condition(statement.get("Condition"), resource_type)


def _condition(condition: Any, resource_type: str) -> bool:
    if not condition:
        return True
    for operator, desired in condition.items():
        types = desired.get("ResourceType", [])
        listed = [types] if isinstance(types, str) else list(types)
        if operator == "StringEquals" and resource_type not in listed:
            return False
        if operator == "StringLike" and not _any(listed, resource_type):
            return False
    return True


def _any(patterns: Any, value: str) -> bool:
    listed = [patterns] if isinstance(patterns, str) else list(patterns)
    return any(fnmatch.fnmatchcase(value, str(pattern)) for pattern in listed)
