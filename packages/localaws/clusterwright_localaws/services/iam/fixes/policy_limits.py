"""moto accepts policies of any size, and any number of them on a role; IAM has limits.

Numbers: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html (white space is
not counted). Messages as users quote them: hashicorp/terraform-provider-aws#45533,
aws/aws-cdk#12403 and docker/docs#4685.
"""

from __future__ import annotations

import json
from typing import Any

from clusterwright_localaws.core.runtime import runtime

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "IAM: policies beyond IAM's sizes are refused, and an eleventh managed policy of a role"
)

MANAGED_CHARACTERS = 6144
INLINE_CHARACTERS = 10_240
"""The limit of all inline policies of a role together."""

TRUST_CHARACTERS = 2048
POLICIES_PER_ROLE = 10
"""Both are defaults, which AWS raises on request; worlds cannot raise them."""


def apply() -> None:
    from moto.iam.models import IAMBackend

    create_policy = IAMBackend.create_policy
    create_policy_version = IAMBackend.create_policy_version
    create_role = IAMBackend.create_role
    update_trust = IAMBackend.update_assume_role_policy
    put_role_policy = IAMBackend.put_role_policy
    attach_role_policy = IAMBackend.attach_role_policy

    def _create_policy(
        self: Any, description: str, path: str, policy_document: str, *more: Any, **named: Any
    ) -> Any:
        _refuse_above(policy_document, MANAGED_CHARACTERS, "PolicySize")
        return create_policy(self, description, path, policy_document, *more, **named)

    def _create_policy_version(
        self: Any, policy_arn: str, policy_document: str, *more: Any
    ) -> Any:
        _refuse_above(policy_document, MANAGED_CHARACTERS, "PolicySize")
        return create_policy_version(self, policy_arn, policy_document, *more)

    def _create_role(
        self: Any, role_name: str, assume_role_policy_document: str, *more: Any, **named: Any
    ) -> Any:
        _refuse_above(assume_role_policy_document, TRUST_CHARACTERS, "ACLSizePerRole")
        return create_role(self, role_name, assume_role_policy_document, *more, **named)

    def _update_trust(self: Any, role_name: str, policy_document: str) -> None:
        _refuse_above(policy_document, TRUST_CHARACTERS, "ACLSizePerRole")
        update_trust(self, role_name, policy_document)

    def _put_role_policy(self: Any, role_name: str, policy_name: str, policy_json: str) -> None:
        others = {k: v for k, v in self.get_role(role_name).policies.items() if k != policy_name}
        together = sum(_characters(text) for text in (*others.values(), policy_json))
        if runtime().active and together > INLINE_CHARACTERS:
            raise _limit_exceeded(
                f"Maximum policy size of {INLINE_CHARACTERS} bytes exceeded for role {role_name}"
            )
        put_role_policy(self, role_name, policy_name, policy_json)

    def _attach_role_policy(self: Any, policy_arn: str, role_name: str) -> None:
        attached = set(self.get_role(role_name).managed_policies)
        if runtime().active and len(attached | {policy_arn}) > POLICIES_PER_ROLE:
            raise _limit_exceeded(f"Cannot exceed quota for PoliciesPerRole: {POLICIES_PER_ROLE}")
        attach_role_policy(self, policy_arn, role_name)

    IAMBackend.create_policy = _create_policy  # type: ignore[method-assign]
    IAMBackend.create_policy_version = (  # type: ignore[method-assign]
        _create_policy_version  # type: ignore[assignment]
    )
    IAMBackend.create_role = _create_role  # type: ignore[method-assign]
    IAMBackend.update_assume_role_policy = _update_trust  # type: ignore[method-assign]
    IAMBackend.put_role_policy = _put_role_policy  # type: ignore[method-assign]
    IAMBackend.attach_role_policy = _attach_role_policy  # type: ignore[method-assign]


def _refuse_above(document: str, maximum: int, quota: str) -> None:
    if runtime().active and _characters(document) > maximum:
        raise _limit_exceeded(f"Cannot exceed quota for {quota}: {maximum}")


def _characters(document: Any) -> int:
    """Return the size without white space, which IAM does not count."""
    text = document if isinstance(document, str) else json.dumps(document)
    return sum(not letter.isspace() for letter in text)


def _limit_exceeded(message: str) -> Exception:
    from moto.iam.exceptions import LimitExceededException

    return LimitExceededException(message)
