"""moto takes any text as a policy's ARN, and words the message about a missing one differently.

https://docs.aws.amazon.com/IAM/latest/APIReference/API_AttachRolePolicy.html
Messages recorded on AWS: docs/reference/probes.md, source `localstack`.
"""

from __future__ import annotations

from typing import Any

from clusterwright_localaws.core.runtime import runtime

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "IAM: attaching a policy whose ARN is none is a ValidationError, and a missing policy is one "
    "that was not found"
)


def apply() -> None:
    from moto.iam.exceptions import NoSuchEntity
    from moto.iam.models import IAMBackend

    def checked(attach: Any) -> Any:
        def _attach(self: Any, policy_arn: str, name: str) -> None:
            if runtime().active:
                _check(policy_arn)
            attach(self, policy_arn, name)

        return _attach

    for kind in ("group", "role", "user"):
        name = f"attach_{kind}_policy"
        setattr(IAMBackend, name, checked(getattr(IAMBackend, name)))
    get_policy = IAMBackend.get_policy

    def _get_policy(self: Any, policy_arn: str) -> Any:
        if runtime().active and policy_arn not in self.managed_policies:
            raise NoSuchEntity(f"Policy {policy_arn} was not found.")
        return get_policy(self, policy_arn)

    IAMBackend.get_policy = _get_policy  # type: ignore[method-assign]


def _check(arn: str) -> None:
    from moto.iam.exceptions import ValidationError

    if not arn.startswith("arn:"):
        raise ValidationError("Invalid ARN:  Could not be parsed!")
