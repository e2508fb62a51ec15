"""Policies that name a user or a role which is deleted: they keep its unique id.

AWS keeps ids in the policies of resources and shows ARNs in their place while the principals
exist. A principal that is created again under the same name is another one.
https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_principal.html
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from clusterwright_localaws.core import moto_state

# The resources with policies, by service: where moto keeps them, and the policy in each.
_KEPT: Final = {
    "ecr": ("repositories", "policy"),
    "iam": ("roles", "assume_role_policy_document"),
    "kms": ("keys", "policy"),
    "s3": ("buckets", "policy"),
    "secretsmanager": ("secrets", "policy"),
    "sns": ("topics", "policy"),
    "sqs": ("queues", "policy"),
}


def replace_principal(arn: str, unique_id: str) -> None:
    """Write the id of a deleted user or role in place of its ARN in all policies of resources."""
    for resource, name in _resources():
        kept = getattr(resource, name, None)
        text = kept.decode() if isinstance(kept, bytes) else kept
        if not isinstance(text, str) or arn not in text:
            continue
        document = json.loads(text)
        statements = document.get("Statement") or []
        changed = [
            _replaced(one, arn, unique_id)
            for one in (statements if isinstance(statements, list) else [statements])
        ]
        if any(changed):
            made = json.dumps(document)
            setattr(resource, name, made.encode() if isinstance(kept, bytes) else made)


def _resources() -> Iterator[tuple[Any, str]]:
    for service, (kept, name) in _KEPT.items():
        for backend in moto_state.all_existing(service):
            for resource in list(getattr(backend, kept).values()):
                yield resource, name


def _replaced(statement: dict[str, Any], arn: str, unique_id: str) -> bool:
    """Replace the ARN in the principals of a statement; return whether it was there."""
    found = False
    for element in ("Principal", "NotPrincipal"):
        named = statement.get(element)
        if not isinstance(named, dict):
            continue
        given = named.get("AWS")
        listed = given if isinstance(given, list) else [given]
        if arn in listed:
            new = [unique_id if one == arn else one for one in listed]
            named["AWS"] = new if isinstance(given, list) else new[0]
            found = True
    return found
