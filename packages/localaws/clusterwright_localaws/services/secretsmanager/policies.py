"""Policies of secrets that Secrets Manager refuses; moto keeps any text.

https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_PutResourcePolicy.html
Texts: examples of ValidateResourcePolicy in AWS's command-line reference.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError, ForwardToMoto


@operation("secretsmanager", "PutResourcePolicy")
def put_resource_policy(call: Call) -> Mapping[str, Any]:
    statements = list(_statements(call.parameters["ResourcePolicy"]))
    if call.parameters.get("BlockPublicPolicy") and any(_is_public(one) for one in statements):
        # The text is ours.
        raise AwsError("PublicPolicyException", "The resource policy grants public access.")
    raise ForwardToMoto


def _statements(text: str) -> Iterator[Mapping[str, Any]]:
    try:
        found = json.loads(text)
    except ValueError:
        raise _malformed() from None
    given = found.get("Statement") if isinstance(found, dict) else None
    listed = given if isinstance(given, list) else [given]
    for one in listed:
        if not isinstance(one, dict) or not ({"Principal", "NotPrincipal"} & one.keys()):
            raise _malformed()
        yield one


def _is_public(statement: Mapping[str, Any]) -> bool:
    principal = statement.get("Principal")
    named = principal.get("AWS") if isinstance(principal, dict) else principal
    anyone = named == "*" or (isinstance(named, list) and "*" in named)
    return statement.get("Effect") == "Allow" and anyone and not statement.get("Condition")


def _malformed() -> AwsError:
    text = "This resource policy contains a syntax error."
    return AwsError("MalformedPolicyDocumentException", text)
