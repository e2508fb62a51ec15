"""moto accepts policies of any size, and any number of them on an entity; IAM has limits.

Numbers: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html (white space is
not counted). Messages as users quote them: hashicorp/terraform-provider-aws#45533,
aws/aws-cdk#12403, #13515 and docker/docs#4685, ministryofjustice/cloud-platform#3121 (users),
HumanCellAtlas/data-store#1963 (groups).
"""

from __future__ import annotations

import json
from typing import Any

from clusterwright_localaws.core.runtime import runtime

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "IAM: policies beyond IAM's sizes are refused, and an eleventh managed policy of a role, "
    "user or group"
)

MANAGED_CHARACTERS = 6144
INLINE_CHARACTERS = {"role": 10_240, "user": 2048, "group": 5120}
"""The limits of all inline policies of an entity together."""

TRUST_CHARACTERS = 2048
POLICIES = 10
"""Managed policies of a role, a user or a group.

All are defaults, which AWS raises on request; worlds cannot raise them.
"""


def apply() -> None:
    from moto.iam.models import IAMBackend

    create_policy = IAMBackend.create_policy
    create_policy_version = IAMBackend.create_policy_version
    create_role = IAMBackend.create_role
    update_trust = IAMBackend.update_assume_role_policy

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

    IAMBackend.create_policy = _create_policy  # type: ignore[method-assign]
    IAMBackend.create_policy_version = (  # type: ignore[method-assign]
        _create_policy_version  # type: ignore[assignment]
    )
    IAMBackend.create_role = _create_role  # type: ignore[method-assign]
    IAMBackend.update_assume_role_policy = _update_trust  # type: ignore[method-assign]
    for kind in INLINE_CHARACTERS:
        put, attach = f"put_{kind}_policy", f"attach_{kind}_policy"
        setattr(IAMBackend, put, _putting(getattr(IAMBackend, put), kind))
        setattr(IAMBackend, attach, _attaching(getattr(IAMBackend, attach), kind))


def _putting(in_moto: Any, kind: str) -> Any:
    def put(self: Any, name: str, policy_name: str, policy_json: str) -> None:
        kept = getattr(self, f"get_{kind}")(name).policies
        others = [text for other, text in kept.items() if other != policy_name]
        together, most = sum(map(_characters, (*others, policy_json))), INLINE_CHARACTERS[kind]
        if runtime().active and together > most:
            raise _limit_exceeded(
                f"Maximum policy size of {most} bytes exceeded for {kind} {name}"
            )
        in_moto(self, name, policy_name, policy_json)

    return put


def _attaching(in_moto: Any, kind: str) -> Any:
    def attach(self: Any, policy_arn: str, name: str) -> None:
        attached = set(getattr(self, f"get_{kind}")(name).managed_policies)
        if runtime().active and len(attached | {policy_arn}) > POLICIES:
            raise _limit_exceeded(
                f"Cannot exceed quota for PoliciesPer{kind.capitalize()}: {POLICIES}"
            )
        in_moto(self, policy_arn, name)

    return attach


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
