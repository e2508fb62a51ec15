"""moto tells names of users, groups, roles, profiles and policies apart by their case.

"Names are not distinguished by case":
https://docs.aws.amazon.com/IAM/latest/APIReference/API_CreateUser.html
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from clusterwright_localaws.core.runtime import runtime

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "IAM: names that differ in case only are the same for new users, groups, roles, instance "
    "profiles and managed policies"
)
# moto's method, the position and the name of the argument with the new name, where moto keeps the
# entities, and the message.
_NEW = (
    ("create_user", 1, "user_name", "users", "User with name {} already exists."),
    ("update_user", 2, "new_user_name", "users", "User with name {} already exists."),
    ("create_group", 0, "group_name", "groups", "Group with name {} already exists."),
    ("update_group", 1, "new_group_name", "groups", "Group with name {} already exists."),
    ("create_role", 0, "role_name", "roles", "Role with name {} already exists."),
    (
        "create_instance_profile",
        0,
        "name",
        "instance_profiles",
        "Instance Profile {} already exists.",
    ),
    (
        "create_policy",
        3,
        "policy_name",
        "managed_policies",
        "A policy called {} already exists. Duplicate names are not allowed.",
    ),
)


def apply() -> None:
    from moto.iam.models import IAMBackend

    for method, position, argument, kept, text in _NEW:
        checked = _checked(getattr(IAMBackend, method), position, argument, kept, text)
        setattr(IAMBackend, method, checked)


def _checked(
    in_moto: Callable[..., Any], position: int, argument: str, kept: str, text: str
) -> Callable[..., Any]:
    def call(self: Any, *given: Any, **named: Any) -> Any:
        new = named.get(argument, given[position] if len(given) > position else None)
        # A user or a group may get its own name in another case.
        own = str(given[0]).lower() if in_moto.__name__.startswith("update_") and given else None
        if runtime().active and new and str(new).lower() != own and _is_taken(self, kept, new):
            from moto.iam.exceptions import EntityAlreadyExists

            raise EntityAlreadyExists(text.format(new))
        return in_moto(self, *given, **named)

    call.__name__ = in_moto.__name__
    return call


def _is_taken(backend: Any, kept: str, name: str) -> bool:
    return any(
        str(one.name).lower() == name.lower()
        for one in list(getattr(backend, kept).values())
        if ":aws:policy/" not in str(getattr(one, "arn", ""))
    )
