"""Helpers of the policy simulator: the simulated principal and its policies."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from clusterwright_localaws.core.call import Call
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.iam import callers, entities
from clusterwright_localaws.iam.policy import MalformedPolicy, Policy, read_policy
from clusterwright_localaws.iam.principals import Caller


@dataclass(frozen=True)
class Source:
    """A user, group or role with what is attached to it."""

    caller: Caller
    policies: tuple[Policy, ...]
    boundary: tuple[Policy, ...] | None


def source_of(call: Call, arn: str) -> Source:
    """Find the entity of an ARN.

    Raises
    ------
    AwsError
        NoSuchEntity, or InvalidInput if it is not a user, group or role.
    """
    parts = arn.split(":", 5)
    kind, _, name = (parts[5] if len(parts) == 6 else "").partition("/")
    if len(parts) != 6 or parts[2] != "iam" or kind not in ("user", "group", "role") or not name:
        raise invalid(f"Invalid Entity Arn: {arn} does not clearly define entity type and name.")
    if parts[4] != call.account:
        raise AwsError(
            "AccessDenied", f"{arn} is not in the account of the caller {call.account}", 403
        )
    short = name.rsplit("/", 1)[-1]
    if kind == "role" and (role := entities.role_of(arn)) is not None:
        return Source(
            callers.role_session(role, "simulated"),
            entities.policies_of(role, "role"),
            entities.boundary_of(role),
        )
    if kind == "user" and (user := entities.user_of(arn)) is not None:
        return Source(
            entities.caller_of_user(user),
            entities.user_policies(user),
            entities.boundary_of(user),
        )
    if kind == "group" and (group := entities.group_of(arn)) is not None:
        return Source(Caller("user", parts[4], arn), entities.policies_of(group, "group"), None)
    raise AwsError("NoSuchEntity", f"The {kind} with name {short} cannot be found.", 404)


def input_policies(given: Iterable[str], name: str) -> tuple[Policy, ...]:
    """Read documents of a request's list, under the names that the answer uses."""
    found = []
    for number, text in enumerate(given, 1):
        try:
            found.append(read_policy(text, name=f"{name}.{number}"))
        except MalformedPolicy as error:
            raise invalid(f"{name}.{number}: {error}") from None
    return tuple(found)


def invalid(message: str) -> AwsError:
    return AwsError("InvalidInput", message, 400)


def compact(**members: Any) -> dict[str, Any]:
    """Return the members that have a value."""
    return {name: value for name, value in members.items() if value is not None}
