"""moto's grammar of policies refuses documents that IAM takes.

* The version is optional, and 2008-10-17 is one; managed policies alone need 2012-10-17
  (`iam/document_kinds.py`). Numbers need no quotation marks:
  https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_grammar.html
* Dates have the W3C's forms: https://www.w3.org/TR/NOTE-datetime
* The resources of S3 with a Region, and those of IAM, are in the Service Authorization Reference,
  as are the actions of STS. `root` and `*` of IAM are in AWS's managed policies.
* Names of actions are compared without case:
  https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_action.html
"""

from __future__ import annotations

import functools
import json
from typing import Any

from clusterwright_localaws.core.runtime import runtime
from clusterwright_localaws.iam import actions, conditions

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "IAM: policies without a version, with numbers and dates in every documented form, with "
    "S3's resources that have a Region, with all of IAM's resources and, in trust policies, with "
    "all actions of STS in any case, are taken"
)


def apply() -> None:
    from moto.iam.policy_validation import (
        BaseIAMPolicyValidator,
        IAMTrustPolicyDocumentValidator,
    )

    base: Any = BaseIAMPolicyValidator
    trust: Any = IAMTrustPolicyDocumentValidator
    validate_syntax, validate_version = base._validate_syntax, base._validate_version
    validate_resource = base._validate_resource_format
    parse_date = base._legacy_parse_date_condition_value
    validate_action = trust._validate_trust_policy_action

    def _validate_syntax(self: Any) -> None:
        if runtime().active:
            self._policy_document = _with_texts(self._policy_document)
        validate_syntax(self)

    def _validate_version(self: Any) -> None:
        # Versions that do not exist are syntax errors, which moto finds first.
        if not runtime().active:
            validate_version(self)

    def _validate_resource(self: Any, resource: str) -> None:
        before = self._resource_error
        validate_resource(self, resource)
        if runtime().active and self._resource_error != before and _exists(resource):
            self._resource_error = before

    def _parse_date(value: str) -> None:
        if not (runtime().active and conditions.is_date(value)):
            parse_date(value)

    def _validate_action(action: str) -> None:
        if not (runtime().active and action.lower() in actions.names_of("sts")):
            validate_action(action)

    base._validate_syntax = _validate_syntax
    base._validate_version = _validate_version
    base._validate_resource_format = _validate_resource
    base._legacy_parse_date_condition_value = staticmethod(_parse_date)
    trust._validate_trust_policy_action = staticmethod(_validate_action)


def _with_texts(document: str) -> str:
    """Return a document whose statements' ids and conditions have texts for numbers."""
    found = json.loads(document)
    statements = found.get("Statement") if isinstance(found, dict) else None
    for statement in statements if isinstance(statements, list) else [statements]:
        if not isinstance(statement, dict):
            continue
        if "Sid" in statement:
            statement["Sid"] = _text(statement["Sid"])
        tested = statement.get("Condition")
        for keys in tested.values() if isinstance(tested, dict) else ():
            if isinstance(keys, dict):
                keys.update({key: _text(value) for key, value in keys.items()})
    return json.dumps(found)


def _text(value: Any) -> Any:
    if isinstance(value, list):
        return [_text(one) for one in value]
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return str(value) if is_number else value


def _exists(resource: str) -> bool:
    """Return whether AWS has resources with an ARN of S3 with a Region, or of IAM without one."""
    parts = resource.split(":", 5)
    if len(parts) < 6:
        return False
    service, region, path = parts[2], parts[3], parts[5]
    if service == "iam" and not region and path in ("*", "root"):
        return True
    kind, slash, _ = path.partition("/")
    return bool(slash) and kind in _kinds(service, in_region=bool(region))


@functools.cache
def _kinds(service: str, *, in_region: bool) -> frozenset[str]:
    """Return how the paths of a service's resources begin, of those with or without a Region."""
    named = [arn.split(":", 5) for arn in actions.resource_arns(service)]
    return frozenset(
        parts[5].partition("/")[0]
        for parts in named
        if parts[2] == service and bool(parts[3]) == in_region and not parts[5].startswith("$")
    )
