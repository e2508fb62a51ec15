"""What a policy document says of one request, as far as that can be known before the request.

Not IAM's simulator: that takes the policies of identities, and knows no service-linked role that
does not exist yet. An answer is `yes`, `no`, or `unknown` where a statement rests on a value that
nobody knows yet, such as the VPC endpoint that a request will come through.

Source: IAM user guide, policy evaluation logic, condition operators and Principal element
(https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_condition_operators.html).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

Answer = Literal["yes", "no", "unknown"]


@dataclass(frozen=True)
class Question:
    """One action of one caller on one resource.

    Attributes
    ----------
    account:
        The caller's account; empty for a service.
    principal_arn:
        The caller's ARN; of a session, its role's. Empty for a service.
    service:
        Of a service that acts by itself: `logs.us-east-1.amazonaws.com`.
    context:
        Condition keys with their value; None for a key that the request certainly lacks. Any other
        key is unknown.
    of_the_account:
        Whether the question is what the account may hand on to its own identities, as a key policy
        does that names the account's root.
    """

    action: str
    resource: str
    account: str = ""
    principal_arn: str = ""
    service: str = ""
    context: Mapping[str, str | None] = field(default_factory=dict)
    of_the_account: bool = False


def allowed(document: str, question: Question) -> Answer:
    """Whether the document by itself lets the request through: allowed and not denied.

    A document that cannot be read is `unknown`.
    """
    refused = denied(document, question)
    if refused == "yes":
        return "no"
    granted = _any_says(document, "Allow", question)
    return "unknown" if granted == "yes" and refused == "unknown" else granted


def denied(document: str, question: Question) -> Answer:
    """Whether a statement of the document refuses the request."""
    return _any_says(document, "Deny", question)


def _any_says(document: str, effect: str, question: Question) -> Answer:
    try:
        read = json.loads(document)
        statements = _listed(read["Statement"])
        answers = {_applies(s, question) for s in statements if s.get("Effect") == effect}
    except (AttributeError, KeyError, TypeError, ValueError):
        return "unknown"
    if "yes" in answers:
        return "yes"
    return "unknown" if "unknown" in answers else "no"


def _applies(statement: Mapping[str, Any], question: Question) -> Answer:
    if not _concerns(statement, "Action", question.action.lower(), lower=True):
        return "no"
    if not _concerns(statement, "Resource", question.resource):
        return "no"
    return _all(
        (_means(statement, question), *_conditions(statement.get("Condition") or {}, question))
    )


def _concerns(statement: Mapping[str, Any], key: str, value: str, *, lower: bool = False) -> bool:
    def match(patterns: Any) -> bool:
        return any(_like(p.lower() if lower else p, value) for p in _listed(patterns))

    if key in statement:
        return match(statement[key])
    # A policy without either is one of a resource that has no parts, or cannot be.
    return not match(statement[f"Not{key}"]) if f"Not{key}" in statement else key == "Resource"


def _means(statement: Mapping[str, Any], question: Question) -> Answer:
    if "NotPrincipal" in statement:
        named = _names(statement["NotPrincipal"], question, everybody=True)
        return "no" if named else "yes"
    if "Principal" not in statement:
        return "yes"
    # A refusal of an account is one of everybody in it; leave of an account is the account's.
    everybody = statement.get("Effect") == "Deny" or question.of_the_account
    return "yes" if _names(statement["Principal"], question, everybody=everybody) else "no"


def _names(principal: Any, question: Question, *, everybody: bool) -> bool:
    if principal == "*":
        return True
    if not isinstance(principal, Mapping):
        raise TypeError(principal)
    if "*" in _listed(principal.get("AWS", ())):
        return True
    if question.service:
        return question.service in _listed(principal.get("Service", ()))
    for name in _listed(principal.get("AWS", ())):
        if name == question.principal_arn and name:
            return True
        root = re.fullmatch(r"(?:arn:[a-z-]+:iam::)?([0-9]{12})(?::root)?", name)
        if root is not None and root.group(1) == question.account and everybody:
            return True
    return False


def _conditions(written: Mapping[str, Any], question: Question) -> Iterable[Answer]:
    context = {key.lower(): value for key, value in question.context.items()}
    for operator, keys in written.items():
        for key, values in keys.items():
            yield _holds(operator, key.lower(), [str(v) for v in _flags(values)], context)


def _holds(
    operator: str, key: str, values: list[str], context: Mapping[str, str | None]
) -> Answer:
    quantifier, _, name = operator.rpartition(":")
    if_exists = name.endswith("IfExists")
    name = name.removesuffix("IfExists").lower()
    if key not in context or (name != "null" and name not in _TESTS):
        return "unknown"
    found = context[key]
    if name == "null":
        return "yes" if any((v.lower() == "true") == (found is None) for v in values) else "no"
    test, positive = _TESTS[name]
    if found is None:
        absent = quantifier.lower() == "forallvalues" or if_exists
        return "yes" if absent or (not positive and not quantifier) else "no"
    if any("${" in value for value in values):
        return "unknown"
    hit = any(test(value, found) for value in values)
    return "yes" if hit == positive else "no"


def _all(answers: Iterable[Answer]) -> Answer:
    found = set(answers)
    if "no" in found:
        return "no"
    return "unknown" if "unknown" in found else "yes"


def _like(pattern: str, value: str) -> bool:
    text = "".join({"*": ".*", "?": "."}.get(sign, re.escape(sign)) for sign in pattern)
    return re.fullmatch(text, value, re.DOTALL) is not None


def _equals(pattern: str, value: str) -> bool:
    return pattern == value


def _equals_ignoring_case(pattern: str, value: str) -> bool:
    return pattern.lower() == value.lower()


_TESTS: Final[Mapping[str, tuple[Callable[[str, str], bool], bool]]] = {
    "stringequals": (_equals, True),
    "stringnotequals": (_equals, False),
    "stringequalsignorecase": (_equals_ignoring_case, True),
    "stringnotequalsignorecase": (_equals_ignoring_case, False),
    "stringlike": (_like, True),
    "stringnotlike": (_like, False),
    "arnequals": (_like, True),
    "arnlike": (_like, True),
    "arnnotequals": (_like, False),
    "arnnotlike": (_like, False),
    "bool": (_equals_ignoring_case, True),
}


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _flags(value: Any) -> list[Any]:
    """Values of a condition; JSON's true is the text `true`."""
    return [str(v).lower() if isinstance(v, bool) else v for v in _listed(value)]
