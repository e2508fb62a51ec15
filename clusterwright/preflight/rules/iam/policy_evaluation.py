"""Evaluates a policy document for one request, as far as possible before the request.

IAM's simulator accepts identity policies only, and does not know service-linked roles that do not
exist yet. An answer is `yes`, `no`, or `unknown` if a statement depends on a value that is not
known yet, such as the VPC endpoint of the request.

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
class PolicyRequest:
    """One action of one principal on one resource.

    Attributes
    ----------
    account:
        The principal's account; empty for a service.
    principal_arn:
        The principal's ARN; of a session, its role's. Empty for a service.
    service:
        The service principal: `logs.us-east-1.amazonaws.com`.
    context:
        Condition keys with their value; None for a key that the request does not have. Any other
        key is unknown.
    of_the_account:
        Whether the request is for what the account may delegate to its own identities, as a key
        policy does that names the account's root.
    """

    action: str
    resource: str
    account: str = ""
    principal_arn: str = ""
    service: str = ""
    context: Mapping[str, str | None] = field(default_factory=dict)
    of_the_account: bool = False


def allowed(document: str, request: PolicyRequest) -> Answer:
    """Whether the document by itself allows the request and does not deny it.

    A document that cannot be read is `unknown`.
    """
    refused = denied(document, request)
    if refused == "yes":
        return "no"
    granted = _any_statement(document, "Allow", request)
    return "unknown" if granted == "yes" and refused == "unknown" else granted


def denied(document: str, request: PolicyRequest) -> Answer:
    """Whether a statement of the document denies the request."""
    return _any_statement(document, "Deny", request)


def _any_statement(document: str, effect: str, request: PolicyRequest) -> Answer:
    try:
        read = json.loads(document)
        statements = _listed(read["Statement"])
        answers = {_applies(s, request) for s in statements if s.get("Effect") == effect}
    except (AttributeError, KeyError, TypeError, ValueError):
        return "unknown"
    if "yes" in answers:
        return "yes"
    return "unknown" if "unknown" in answers else "no"


def _applies(statement: Mapping[str, Any], request: PolicyRequest) -> Answer:
    if not _matches_element(statement, "Action", request.action.lower(), lower=True):
        return "no"
    if not _matches_element(statement, "Resource", request.resource):
        return "no"
    return _all(
        (
            _matches_principal(statement, request),
            *_conditions(statement.get("Condition") or {}, request),
        )
    )


def _matches_element(
    statement: Mapping[str, Any], key: str, value: str, *, lower: bool = False
) -> bool:
    def match(patterns: Any) -> bool:
        return any(_like(p.lower() if lower else p, value) for p in _listed(patterns))

    if key in statement:
        return match(statement[key])
    # Policies of resources without sub-resources may omit the element.
    return not match(statement[f"Not{key}"]) if f"Not{key}" in statement else key == "Resource"


def _matches_principal(statement: Mapping[str, Any], request: PolicyRequest) -> Answer:
    if "NotPrincipal" in statement:
        named = _names_principal(statement["NotPrincipal"], request, whole_account=True)
        return "no" if named else "yes"
    if "Principal" not in statement:
        return "yes"
    # Deny of an account denies all its principals; Allow of an account delegates to its IAM.
    whole_account = statement.get("Effect") == "Deny" or request.of_the_account
    return (
        "yes"
        if _names_principal(statement["Principal"], request, whole_account=whole_account)
        else "no"
    )


def _names_principal(principal: Any, request: PolicyRequest, *, whole_account: bool) -> bool:
    if principal == "*":
        return True
    if not isinstance(principal, Mapping):
        raise TypeError(principal)
    if "*" in _listed(principal.get("AWS", ())):
        return True
    if request.service:
        return request.service in _listed(principal.get("Service", ()))
    for name in _listed(principal.get("AWS", ())):
        if name == request.principal_arn and name:
            return True
        root = re.fullmatch(r"(?:arn:[a-z-]+:iam::)?([0-9]{12})(?::root)?", name)
        if root is not None and root.group(1) == request.account and whole_account:
            return True
    return False


def _conditions(written: Mapping[str, Any], request: PolicyRequest) -> Iterable[Answer]:
    context = {key.lower(): value for key, value in request.context.items()}
    for operator, keys in written.items():
        for key, values in keys.items():
            yield _evaluate_condition(
                operator, key.lower(), [str(v) for v in _flags(values)], context
            )


def _evaluate_condition(
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
    text = "".join(
        {"*": ".*", "?": "."}.get(character, re.escape(character)) for character in pattern
    )
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
    """The values of a condition, with JSON booleans as text."""
    return [str(v).lower() if isinstance(v, bool) else v for v in _listed(value)]
