"""PutRolePermissionsBoundary refuses missing policies where IAM is enforced; moto accepts any ARN.

https://docs.aws.amazon.com/IAM/latest/APIReference/API_PutRolePermissionsBoundary.html
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError, ForwardToMoto
from clusterwright_localaws.iam import entities


@operation("iam", "CreateRole", "CreateUser", "PutRolePermissionsBoundary")
def with_boundary(call: Call) -> Mapping[str, Any]:
    arn = call.parameters.get("PermissionsBoundary")
    if arn:
        backend = entities.backend_of(call.account, call.partition)
        if arn not in backend.managed_policies:
            raise AwsError(
                "NoSuchEntity", f"Scope ARN: {arn} does not exist or is not attachable.", 404
            )
    raise ForwardToMoto
