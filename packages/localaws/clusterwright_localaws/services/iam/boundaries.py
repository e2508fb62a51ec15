"""Permissions boundaries: missing policies are refused, and users have boundaries too.

moto accepts any ARN, and has no operations for the boundaries of users.

https://docs.aws.amazon.com/IAM/latest/APIReference/API_PutRolePermissionsBoundary.html
https://docs.aws.amazon.com/IAM/latest/APIReference/API_PutUserPermissionsBoundary.html
https://docs.aws.amazon.com/IAM/latest/APIReference/API_DeleteUserPermissionsBoundary.html
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError, ForwardToMoto
from clusterwright_localaws.iam import entities
from clusterwright_localaws.services.iam.protected_roles import check_protected


@operation("iam", "CreateRole", "CreateUser", "PutRolePermissionsBoundary")
def with_boundary(call: Call) -> Mapping[str, Any]:
    if call.operation == "PutRolePermissionsBoundary":
        check_protected(call)
    _refuse_missing_policy(call)
    raise ForwardToMoto


@operation("iam", "PutUserPermissionsBoundary")
def put_user_permissions_boundary(call: Call) -> Mapping[str, Any]:
    user = _user(call)
    _refuse_missing_policy(call)
    user.permissions_boundary_arn = call.parameters["PermissionsBoundary"]
    return {}


@operation("iam", "DeleteUserPermissionsBoundary")
def delete_user_permissions_boundary(call: Call) -> Mapping[str, Any]:
    user = _user(call)
    if user.permissions_boundary_arn is None:
        raise AwsError(
            "NoSuchEntity", f"User {user.name} does not have a permissions boundary.", 404
        )
    user.permissions_boundary_arn = None
    return {}


def _user(call: Call) -> Any:
    name = call.parameters["UserName"]
    user = entities.backend_of(call.account, call.partition).users.get(name)
    if user is None:
        raise AwsError("NoSuchEntity", f"The user with name {name} cannot be found.", 404)
    return user


def _refuse_missing_policy(call: Call) -> None:
    arn = call.parameters.get("PermissionsBoundary")
    if not arn:
        return
    if arn not in entities.backend_of(call.account, call.partition).managed_policies:
        raise AwsError(
            "NoSuchEntity", f"Scope ARN: {arn} does not exist or is not attachable.", 404
        )
