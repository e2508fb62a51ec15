"""Policies of secrets that are public; their form is examined by `iam.documents`.

https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_PutResourcePolicy.html
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError, ForwardToMoto


@operation("secretsmanager", "PutResourcePolicy")
def put_resource_policy(call: Call) -> Mapping[str, Any]:
    given = json.loads(call.parameters["ResourcePolicy"]).get("Statement")
    statements = given if isinstance(given, list) else [given]
    if call.parameters.get("BlockPublicPolicy") and any(_is_public(one) for one in statements):
        # The text is ours.
        raise AwsError("PublicPolicyException", "The resource policy grants public access.")
    raise ForwardToMoto


def _is_public(statement: Mapping[str, Any]) -> bool:
    principal = statement.get("Principal")
    named = principal.get("AWS") if isinstance(principal, dict) else principal
    anyone = named == "*" or (isinstance(named, list) and "*" in named)
    return statement.get("Effect") == "Allow" and anyone and not statement.get("Condition")
