"""The kinds of policy documents: what each must and must not have, and the words of a refusal.

Grammar: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_grammar.html and the
pages on the elements of policies. What the documentation of a service does not say is not refused.
The sources of messages are the probes' (`docs/reference/probes.md`); the page on the differences
from AWS says which are ours.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, Final

from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.iam.policy import VERSIONS, MalformedPolicy, Problem


class Has(Enum):
    """Whether each statement has an element."""

    ALWAYS = "always"
    MAYBE = "maybe"
    NEVER = "never"


@dataclass(frozen=True)
class Kind:
    """One kind of policy document.

    Parameters
    ----------
    code:
        The error code of a refusal.
    text:
        Its message, for problems without one in `texts`. Both may contain `{detail}`.
    principal, resource:
        Whether statements have these elements, or their negation.
    repeated:
        Whether a key may stand twice in an object, of which the last counts.
    exist:
        Whether principals must be well-formed and exist.
    sids:
        Whether several statements must all have ids, and different ones.
    longest:
        The most characters; 0: no limit here.
    codes:
        Error codes of problems that have another one.
    before:
        A check of the text before all others.
    """

    code: str
    text: str
    principal: Has = Has.ALWAYS
    resource: Has = Has.ALWAYS
    texts: Mapping[Problem, str] = field(default_factory=dict)
    repeated: bool = True
    exist: bool = True
    sids: bool = False
    longest: int = 0
    codes: Mapping[Problem, str] = field(default_factory=dict)
    before: Callable[[str], None] | None = None

    def refusal(self, error: MalformedPolicy) -> AwsError:
        """Return the service's error."""
        text = self.texts.get(error.problem, self.text)
        return AwsError(
            self.codes.get(error.problem, self.code),
            text.replace("{detail}", error.detail).replace("{reason}", str(error)),
            400,
        )


def _moto_identity(text: str) -> None:
    from moto.iam.policy_validation import IAMPolicyDocumentValidator

    _of_moto(IAMPolicyDocumentValidator, text)


def _moto_managed(text: str) -> None:
    """Managed policies alone need the newest version; the refusal was recorded for them."""
    from moto.iam.policy_validation import IAMPolicyDocumentValidator

    class Validator(IAMPolicyDocumentValidator):
        def _validate_version(self) -> None:
            if self._policy_json.get("Version") != VERSIONS[1]:
                raise ValueError("another version")

    _of_moto(Validator, text)


def _moto_trust(text: str) -> None:
    from moto.iam.policy_validation import IAMTrustPolicyDocumentValidator

    try:
        json.loads(text)
    except ValueError:
        raise AwsError(
            "MalformedPolicyDocument", "This policy contains invalid Json", 400
        ) from None
    _of_moto(IAMTrustPolicyDocumentValidator, text)


def _of_moto(validator: Any, text: str) -> None:
    """Check a document of IAM by moto's grammar, whose messages are AWS's."""
    from moto.iam.exceptions import MalformedPolicyDocument

    from clusterwright_localaws import services

    services.prepare("iam")  # a session policy may be checked before the first call of IAM
    try:
        validator(text).validate()
    except MalformedPolicyDocument as error:
        raise AwsError("MalformedPolicyDocument", str(error.message), 400) from None


_IAM_TEXTS: Final = {
    Problem.NO_PRINCIPALS: "Policy document should not specify a principal.",
    Problem.REPEATED: "Syntax errors in policy.",
    Problem.SYNTAX: "Syntax errors in policy.",
}
IDENTITY: Final = Kind(
    "MalformedPolicyDocument",
    "{reason}",
    principal=Has.NEVER,
    texts=_IAM_TEXTS,
    repeated=False,
    before=_moto_identity,
)
MANAGED: Final = replace(IDENTITY, before=_moto_managed)
TRUST: Final = Kind(
    "MalformedPolicyDocument",
    "{reason}",
    resource=Has.NEVER,
    texts={
        **_IAM_TEXTS,
        Problem.PRINCIPAL: "Missing required field Principal",
        Problem.NO_RESOURCES: "Has prohibited field Resource.",
        Problem.WHO: "Invalid principal in policy: {detail}",
    },
    repeated=False,
    before=_moto_trust,
)
BUCKET: Final = Kind(
    "MalformedPolicy",
    "Invalid policy syntax.",
    texts={
        Problem.JSON: "This policy contains invalid Json",
        Problem.STATEMENT: "Missing required field Statement",
        Problem.EMPTY: "Could not parse the policy: Statement is empty!",
        Problem.NO_EFFECT: "Missing required field Effect",
        Problem.EFFECT: "Invalid effect: {detail}",
        Problem.ACTION: "Missing required field Action",
        Problem.VENDOR: "Policy has invalid action",
        Problem.SCOPE: "Policy has invalid action",
        Problem.RESOURCE: "Missing required field Resource",
        Problem.PRINCIPAL: "Missing required field Principal",
        Problem.WHO: "Invalid principal in policy",
        Problem.CONDITION: "Invalid Condition type : {detail}",
        Problem.VERSION: "The policy must contain a valid version string",
        Problem.SIZE: "Policy exceeds the maximum allowed document size.",
    },
    longest=20 * 1024,
)
KEY: Final = Kind(
    "MalformedPolicyDocumentException",
    "{reason}",
    texts={
        Problem.WHO: "Policy contains a statement with one or more invalid principals.",
        Problem.PRINCIPAL: "A statement of the policy has no principal.",
        Problem.RESOURCE: "A statement of the policy has no resource.",
        Problem.SIZE: "The policy is longer than 32768 bytes.",
    },
    codes={Problem.SIZE: "LimitExceededException"},
    longest=32_768,
)
TOPIC: Final = Kind(
    "InvalidParameter",
    "Invalid parameter: Policy Error: null",
    resource=Has.MAYBE,
    texts={
        Problem.WHO: "Invalid parameter: Policy Error: PrincipalNotFound",
        Problem.SCOPE: "Invalid parameter: Policy statement action out of service scope!",
        Problem.SIDS: "Invalid parameter: Every policy statement must have a unique ID",
    },
    sids=True,
)
QUEUE: Final = Kind(
    "InvalidAttributeValue", "Invalid value for the parameter Policy.", resource=Has.MAYBE
)
SECRET: Final = Kind(
    "MalformedPolicyDocumentException",
    "This resource policy contains a syntax error.",
    resource=Has.MAYBE,
    texts={Problem.WHO: "This resource policy contains an unsupported principal."},
)
_ECR = "Invalid parameter at 'PolicyText' failed to satisfy constraint: "
REPOSITORY: Final = Kind(
    "InvalidParameterException",
    f"{_ECR}'Invalid repository policy provided'",
    resource=Has.NEVER,
    texts={Problem.WHO: f"{_ECR}'Principal not found'"},
)
ENDPOINT: Final = Kind(
    "InvalidPolicyDocument",
    "The Policy Document is not valid.",
    resource=Has.MAYBE,
    longest=20_480,
    exist=False,
)
LOGS: Final = Kind(
    "InvalidParameterException", "Could not convert to persistable policy.", resource=Has.MAYBE
)
BUS: Final = Kind(
    "ValidationException",
    "The policy of the event bus is not valid: {reason}",
    resource=Has.MAYBE,
    codes={Problem.SIZE: "PolicyLengthExceededException"},
    texts={Problem.SIZE: "The policy is longer than 10240 bytes."},
    longest=10_240,
    exist=False,
)
