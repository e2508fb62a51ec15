"""An IAM policy document, as AWS takes it, and why each action is in it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def policy_text(document: Mapping[str, Any]) -> str:
    """The bare document, for `aws iam create-policy --policy-document`."""
    return json.dumps(document, indent=2) + "\n"


def characters(document: Mapping[str, Any]) -> int:
    """How many characters IAM counts: white space is not."""
    return len("".join(json.dumps(document).split()))
