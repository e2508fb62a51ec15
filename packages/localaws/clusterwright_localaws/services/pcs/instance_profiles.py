"""The instance profile of a compute node group.

API model (botocore 1.44.5), iamInstanceProfileArn: the role's name starts with AWSPCS or its path
is /aws-pcs/. Whether the role may register instances is decided when they register.
"""

from __future__ import annotations

from typing import Any, Final

from clusterwright_localaws.iam import entities
from clusterwright_localaws.iam.trust import trusts
from clusterwright_localaws.services.pcs.state import Store, invalid

NAME_PREFIX: Final = "AWSPCS"
PATH: Final = "/aws-pcs/"
_MEMBER: Final = "iamInstanceProfileArn"
_EC2: Final = "ec2.amazonaws.com"


def check(store: Store, arn: str) -> None:
    """Check that a profile of the account exists, with a role that PCS accepts.

    Raises
    ------
    AwsError
        ValidationException.
    """
    role = role_of(store, arn)
    if role is None:
        raise invalid(_MEMBER, f"The instance profile {arn} does not exist, or has no role.")
    if not (str(role.name).startswith(NAME_PREFIX) or PATH in str(role.path)):
        raise invalid(
            _MEMBER,
            f"The role {role.arn} of the instance profile must have a name that starts with "
            f"{NAME_PREFIX}, or the path {PATH}.",
        )
    if not trusts(role, _EC2):
        raise invalid(_MEMBER, f"The role {role.arn} of the instance profile must trust {_EC2}.")


def role_of(store: Store, arn: str) -> Any | None:
    """Return moto's role in an instance profile of the account, or None."""
    parts = arn.split(":")
    if parts[4] != store.account:
        return None
    backend = entities.backend_of(store.account, parts[1])
    for profile in list(backend.instance_profiles.values()):
        if profile.arn == arn and profile.roles:
            return profile.roles[0]
    return None
