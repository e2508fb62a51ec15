"""moto ignores the permissions boundary of CreateUser, and answers a wrong type for roles.

https://docs.aws.amazon.com/IAM/latest/APIReference/API_CreateUser.html
https://docs.aws.amazon.com/IAM/latest/APIReference/API_ListUsers.html (which answers none)

The type is `Policy`, as AWS documents and as recorded there (docs/reference/probes.md, source
`localstack`), although the enumeration of the API model has another value:
https://docs.aws.amazon.com/IAM/latest/APIReference/API_AttachedPermissionsBoundary.html
"""

from __future__ import annotations

from typing import Any

from clusterwright_localaws.core.runtime import runtime

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "IAM: CreateUser keeps its permissions boundary, and the type of boundaries is Policy"
)


def apply() -> None:
    from moto.iam.models import Role, User
    from moto.iam.responses import IamResponse

    create = IamResponse.create_user

    def create_user(self: Any) -> Any:
        answer = create(self)
        if runtime().active:
            user = self.backend.get_user(self._get_param("UserName"))
            user.permissions_boundary_arn = self._get_param("PermissionsBoundary")
        return answer

    def boundary(self: Any) -> dict[str, str] | None:
        if not self.permissions_boundary_arn:
            return None
        return {
            "PermissionsBoundaryType": "Policy",
            "PermissionsBoundaryArn": self.permissions_boundary_arn,
        }

    User.permissions_boundary_arn = None  # type: ignore[attr-defined]
    User.permissions_boundary = property(boundary)  # type: ignore[attr-defined]
    Role.permissions_boundary = property(boundary)  # type: ignore[assignment]
    IamResponse.create_user = create_user  # type: ignore[method-assign]
    for list_of_users in ("ListUsersResponse.Users.User", "GetGroupResponse.Users.User"):
        IamResponse.RESPONSE_KEY_PATH_TO_TRANSFORMER[f"{list_of_users}.PermissionsBoundary"] = (
            lambda value: None
        )
