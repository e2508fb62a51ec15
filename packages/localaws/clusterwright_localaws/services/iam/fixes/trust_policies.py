"""moto creates roles whose trust policy is any text; it checks the policy of updates only.

Message: AWSCookbook/Security#2, as other users quote it too. moto requires the version 2012-10-17,
which AWS does not: the trust policies of CDK's bootstrap template have none, and the default is
2008-10-17 (IAM User Guide, "IAM JSON policy elements: Version").
"""

from __future__ import annotations

import json
from typing import Any

from clusterwright_localaws.core.runtime import runtime

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "IAM: a trust policy that is not JSON, or that no trust policy may be, is refused with "
    "MalformedPolicyDocument, also by CreateRole"
)
REPRODUCTION = """\
iam = boto3.client("iam")
try:
    iam.create_role(RoleName="role", AssumeRolePolicyDocument="no JSON")
except iam.exceptions.MalformedPolicyDocumentException:
    pass
else:
    raise AssertionError("the role exists")
"""


def apply() -> None:
    from moto.iam.models import IAMBackend
    from moto.iam.policy_validation import IAMTrustPolicyDocumentValidator

    create_role = IAMBackend.create_role
    update_trust = IAMBackend.update_assume_role_policy

    def _create_role(
        self: Any, role_name: str, assume_role_policy_document: str, *more: Any, **named: Any
    ) -> Any:
        # Service-linked roles are created by AWS itself, with documents of moto.
        if runtime().active and not named.get("linked_service"):
            _check(assume_role_policy_document)
        return create_role(self, role_name, assume_role_policy_document, *more, **named)

    def _update_trust(self: Any, role_name: str, policy_document: str) -> None:
        if runtime().active:
            self.get_role(role_name)
            _check(policy_document)
        update_trust(self, role_name, policy_document)

    validate_version = IAMTrustPolicyDocumentValidator._validate_version

    def _validate_version(self: Any) -> None:
        # Other versions than the two that exist are syntax errors, which moto finds first.
        if not runtime().active:
            validate_version(self)

    IAMTrustPolicyDocumentValidator._validate_version = _validate_version  # type: ignore[method-assign]
    IAMBackend.create_role = _create_role  # type: ignore[method-assign]
    IAMBackend.update_assume_role_policy = _update_trust  # type: ignore[method-assign]


def _check(document: Any) -> None:
    from moto.iam.exceptions import MalformedPolicyDocument
    from moto.iam.policy_validation import IAMTrustPolicyDocumentValidator

    text = document if isinstance(document, str) else json.dumps(document)
    try:
        json.loads(text)
    except ValueError:
        raise MalformedPolicyDocument("This policy contains invalid Json") from None
    IAMTrustPolicyDocumentValidator(text).validate()
