"""Condition keys of policies.

https://docs.aws.amazon.com/IAM/latest/APIReference/API_GetContextKeysForPrincipalPolicy.html
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.iam.evaluation import keys_of_statement
from clusterwright_localaws.iam.policy import Policy
from clusterwright_localaws.services.iam.common import input_policies, source_of


@operation("iam", "GetContextKeysForCustomPolicy")
def for_custom_policy(call: Call) -> Mapping[str, Any]:
    return {
        "ContextKeyNames": _keys(
            input_policies(call.parameters["PolicyInputList"], "PolicyInputList")
        )
    }


@operation("iam", "GetContextKeysForPrincipalPolicy")
def for_principal_policy(call: Call) -> Mapping[str, Any]:
    source = source_of(call, call.parameters["PolicySourceArn"])
    more = input_policies(call.parameters.get("PolicyInputList", []), "PolicyInputList")
    return {"ContextKeyNames": _keys((*source.policies, *more))}


def _keys(policies: Iterable[Policy]) -> list[str]:
    found: dict[str, str] = {}
    for policy in policies:
        for statement in policy.statements:
            for key in keys_of_statement(statement, policy):
                found.setdefault(key.lower(), key)
    return list(found.values())
