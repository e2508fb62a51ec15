"""moto ignores the conditions of a bucket policy's Deny statements."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from clusterwright_localaws.core.runtime import runtime

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "S3: the bucket policy condition aws:SecureTransport is evaluated, and a request to the "
    "local AWS counts as secure; statements with other conditions, or for named principals, are "
    "ignored, unless the world enforces IAM, which evaluates the whole policy"
)


def apply() -> None:
    from moto.s3.models import FakeBucket

    of_moto = FakeBucket.get_permission

    def get_permission(self: Any, action: str, resource: str) -> Any:
        if not runtime().active or self.policy is None:
            return of_moto(self, action, resource)
        from moto.iam.access_control import IAMPolicy, PermissionResult

        if runtime().world.iam == "enforced":
            # The gateway has evaluated the whole policy already.
            return PermissionResult.NEUTRAL
        policy = json.loads(self.policy)
        statements = policy.get("Statement", [])
        listed = [statements] if isinstance(statements, Mapping) else statements
        kept = [_without_condition(item) for item in listed if _counts(item)]
        if not kept:
            return PermissionResult.NEUTRAL
        return IAMPolicy(json.dumps({**policy, "Statement": kept})).is_action_permitted(
            action, resource
        )

    FakeBucket.get_permission = get_permission  # type: ignore[method-assign]


def _counts(statement: Mapping[str, Any]) -> bool:
    if statement.get("Principal") not in ("*", {"AWS": "*"}, {"AWS": ["*"]}):
        return False
    return all(
        _met(operator, key, requested)
        for operator, keys in statement.get("Condition", {}).items()
        for key, requested in keys.items()
    )


def _met(operator: str, key: str, requested: Any) -> bool:
    if operator.removesuffix("IfExists") != "Bool" or key.lower() != "aws:securetransport":
        return False
    values = requested if isinstance(requested, list) else [requested]
    return any(str(value).lower() == "true" for value in values)


def _without_condition(statement: Mapping[str, Any]) -> dict[str, Any]:
    return {
        key: value for key, value in statement.items() if key not in ("Condition", "Principal")
    }
