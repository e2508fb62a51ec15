"""Service-linked roles, and those of IAM Identity Center: only AWS changes them.

https://docs.aws.amazon.com/IAM/latest/UserGuide/using-service-linked-roles.html
https://docs.aws.amazon.com/singlesignon/latest/userguide/troubleshooting.html (the message)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError, ForwardToMoto
from clusterwright_localaws.iam import entities

# The operations on roles with UnmodifiableEntityException in the API's model; `boundaries` has
# PutRolePermissionsBoundary. The description of a service-linked role can be changed.
CHANGES: Final = (
    *("AddRoleToInstanceProfile", "AttachRolePolicy", "DeleteRole"),
    *("DeleteRolePermissionsBoundary", "DeleteRolePolicy", "DetachRolePolicy", "PutRolePolicy"),
    *("RemoveRoleFromInstanceProfile", "UpdateAssumeRolePolicy", "UpdateRole"),
)
_PATHS: Final = ("/aws-service-role/", "/aws-reserved/")


@operation("iam", *CHANGES)
def change_role(call: Call) -> Mapping[str, Any]:
    if not (call.operation == "UpdateRole" and "MaxSessionDuration" not in call.parameters):
        check_protected(call)
    raise ForwardToMoto


def check_protected(call: Call) -> None:
    """Refuse a change of a role that only AWS changes.

    Raises
    ------
    AwsError
        UnmodifiableEntity.
    """
    name = call.parameters.get("RoleName")
    roles = entities.backend_of(call.account, call.partition).roles
    role = next((one for one in list(roles.values()) if one.name == name), None)
    if role is not None and str(role.path).startswith(_PATHS):
        raise AwsError(
            "UnmodifiableEntity",
            f"Cannot perform the operation on the protected role '{name}' - this role is only "
            "modifiable by AWS",
            400,
        )
