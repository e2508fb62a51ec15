"""An IAM policy document, as AWS takes it, and why each action is in it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from clusterwright.preflight.account_results import Permission
from clusterwright.render.envelope import json_answer


def policy_text(document: Mapping[str, Any]) -> str:
    """The bare document, for `aws iam create-policy --policy-document`."""
    return json.dumps(document, indent=2) + "\n"


def policy_json(document: Mapping[str, Any], permissions: Iterable[Permission]) -> str:
    """The document in the usual envelope, with the rules that need each action."""
    return json_answer(
        "check",
        0,
        {
            "policy": document,
            "permissions": [
                {
                    "action": permission.action,
                    "resources": list(permission.resources),
                    "rules": list(permission.rules),
                }
                for permission in permissions
            ],
        },
    )


def characters(document: Mapping[str, Any]) -> int:
    """How many characters IAM counts: white space is not."""
    return len("".join(json.dumps(document).split()))
