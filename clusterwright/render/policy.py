"""An IAM policy document as text."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def policy_text(document: Mapping[str, Any]) -> str:
    """The document, for `aws iam create-policy --policy-document`."""
    return json.dumps(document, indent=2) + "\n"


def characters(document: Mapping[str, Any]) -> int:
    """Number of characters as IAM counts them, without white space."""
    return len("".join(json.dumps(document).split()))
