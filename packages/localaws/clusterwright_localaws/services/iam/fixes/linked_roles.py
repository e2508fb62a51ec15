"""moto derives the name of a service-linked role from its service, and attaches no policy to it.

https://docs.aws.amazon.com/IAM/latest/UserGuide/id_roles_create-service-linked-role.html
Messages and trust policies recorded on AWS: docs/reference/probes.md, source `localstack`.
"""

from __future__ import annotations

import json
import re
from typing import Any

from clusterwright_localaws.core.runtime import runtime
from clusterwright_localaws.services.iam.linked_role_names import (
    DESCRIPTIONS,
    LINKED_ROLES,
    UNRECORDED,
    WITH_SUFFIX,
)

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "IAM: service-linked roles have the names and the policies that AWS gives them, refuse custom "
    "suffixes that their service does not take, and name their deletion's task after the role; "
    "other roles and names that are no service principals are refused"
)


# "Service principals are unique and case-sensitive":
# https://docs.aws.amazon.com/IAM/latest/APIReference/API_CreateServiceLinkedRole.html
_PRINCIPAL = re.compile(r"([a-z0-9-]+\.)+amazonaws\.com(\.cn)?")


def apply() -> None:
    from moto.iam.exceptions import IAMException, InvalidInput, NotFoundException
    from moto.iam.models import IAMBackend

    create = IAMBackend.create_service_linked_role
    delete = IAMBackend.delete_service_linked_role

    def create_service_linked_role(
        self: Any, service_name: str, description: str, suffix: str
    ) -> Any:
        service = service_name.removesuffix(".amazonaws.com")
        if runtime().active and not _PRINCIPAL.fullmatch(service_name):
            raise InvalidInput(f"{service_name} is not a service principal.")
        if not runtime().active or service not in LINKED_ROLES:
            return create(self, service_name, description, suffix)
        return _create(self, service, description, suffix)

    def delete_service_linked_role(self: Any, role_name: str) -> str:
        if not runtime().active:
            return delete(self, role_name)
        role = self.get_role(role_name)
        if not role.path.startswith("/aws-service-role/"):
            raise NotFoundException(f"Service-linked role {role_name} not found")
        # AWS detaches what it attached itself.
        attached = list(role.managed_policies.values())
        for policy in attached:
            policy.detach_from(role)
        try:
            task = delete(self, role_name)
        except IAMException:
            for policy in attached:
                policy.attach_to(role)
            raise
        return f"task{role.path}{role_name}/{task}"

    IAMBackend.create_service_linked_role = create_service_linked_role  # type: ignore[method-assign]
    IAMBackend.delete_service_linked_role = delete_service_linked_role  # type: ignore[method-assign]


def _create(backend: Any, service: str, description: str, suffix: str) -> Any:
    from moto.iam.exceptions import InvalidInput

    principal = f"{service}.amazonaws.com"
    if suffix and service not in WITH_SUFFIX | UNRECORDED:
        raise InvalidInput(f"Custom suffix is not allowed for {principal}")
    short, policy = LINKED_ROLES[service]
    name = f"AWSServiceRoleFor{short}" + (f"_{suffix}" if suffix else "")
    if any(role.name == name for role in backend.get_roles()):
        raise InvalidInput(
            f"Service role name {name} has been taken in this account, please try a different "
            "suffix."
        )
    trust = {
        "Effect": "Allow",
        "Principal": {"Service": principal},
        "Action": "sts:AssumeRole",
    }
    role = backend.create_role(
        name,
        json.dumps({"Version": "2012-10-17", "Statement": [trust]}),
        f"/aws-service-role/{principal}/",
        permissions_boundary=None,
        description=description or DESCRIPTIONS.get(service),
        tags=[],
        max_session_duration="3600",
        linked_service=principal,
    )
    arn = f"arn:{backend.partition}:iam::aws:policy/aws-service-role/{policy}"
    if (found := backend.managed_policies.get(arn)) is not None:
        found.attach_to(role)
    return role
