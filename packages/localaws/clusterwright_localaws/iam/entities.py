"""Users, groups and roles as moto keeps them: their policies, boundaries, tags and keys."""

from __future__ import annotations

from typing import Any

from clusterwright_localaws.core import moto_state
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.iam.policy import MalformedPolicy, Policy, read_policy
from clusterwright_localaws.iam.principals import Caller
from clusterwright_localaws.services.ec2.zones import partition_of

__all__ = ["backend_of", "partition_of", "policies_of"]


def backend_of(account: str, partition: str) -> Any:
    return moto_state.backend("iam", account, partition)


def role_of(arn: str) -> Any | None:
    """Return moto's role of an ARN in whatever account, or None."""
    return _entity(arn, "role")


def user_of(arn: str) -> Any | None:
    """Return moto's user of an ARN, or None."""
    return _entity(arn, "user")


def group_of(arn: str) -> Any | None:
    """Return moto's group of an ARN, or None."""
    return _entity(arn, "group")


def _entity(arn: str, kind: str) -> Any | None:
    parts = arn.split(":", 5)
    if len(parts) != 6 or parts[2] != "iam" or not parts[5].startswith(f"{kind}/"):
        return None
    found = getattr(backend_of(parts[4], parts[1]), f"{kind}s").values()
    return next((entity for entity in list(found) if entity.arn == arn), None)


def caller_of_user(user: Any) -> Caller:
    return Caller("user", user.account_id, str(user.arn), unique_id=user.id, tags=tags_of(user))


def tags_of(entity: Any) -> dict[str, str]:
    """Return the tags of a user or a role."""
    tags = entity.tags or []
    listed = tags.values() if isinstance(tags, dict) else tags
    return {tag["Key"]: tag["Value"] for tag in listed}


def policies_of(entity: Any, kind: str) -> tuple[Policy, ...]:
    """Return the policies that are attached to a user, group or role, and those inside it.

    Parameters
    ----------
    kind:
        `user`, `group` or `role`, the simulator's word for policies inside an entity.
    """
    found = [(name, text, kind) for name, text in list(entity.policies.items())]
    for policy in list(entity.managed_policies.values()):
        aws = str(policy.arn).split(":")[4] == "aws"
        found.append((policy.name, document_of(policy), "aws-managed" if aws else "user-managed"))
    return tuple(_read(text, name, source) for name, text, source in found)


def user_policies(user: Any) -> tuple[Policy, ...]:
    """Return a user's policies and those of all its groups."""
    backend = backend_of(user.account_id, str(user.arn).split(":")[1])
    groups = [group for group in list(backend.groups.values()) if user in group.users]
    return (
        *policies_of(user, "user"),
        *(policy for group in groups for policy in policies_of(group, "group")),
    )


def boundary_of(entity: Any) -> tuple[Policy, ...] | None:
    """Return the permissions boundary of a user or role; None where it has none.

    A boundary that does not exist any more allows nothing.
    """
    arn = entity.permissions_boundary_arn
    return (
        None if not arn else (() if (found := managed_policy(arn, entity)) is None else (found,))
    )


def managed_policy(arn: str, entity: Any) -> Policy | None:
    """Return the default version of a managed policy that the entity's account can see."""
    backend = backend_of(entity.account_id, arn.split(":")[1])
    policy = backend.managed_policies.get(arn)
    if policy is None:
        return None
    aws = arn.split(":")[4] == "aws"
    return _read(document_of(policy), policy.name, "aws-managed" if aws else "user-managed")


def document_of(policy: Any) -> str:
    """Return the text of a managed policy's default version."""
    return next(str(version.document) for version in policy.versions if version.is_default)


def _read(text: str, name: str, kind: str) -> Policy:
    try:
        return read_policy(text, name=name, kind=kind)
    except MalformedPolicy as error:
        # moto accepts invalid documents that AWS refuses; they are refused here instead.
        raise AwsError("MalformedPolicyDocument", f"The policy {name}: {error}", 400) from error
