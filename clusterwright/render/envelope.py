"""Every JSON answer: which command, which version of the answer's shape, which exit code."""

from __future__ import annotations

import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final

SCHEMA_VERSION: Final = 1
"""Goes up when a key of an answer is renamed or taken away; more keys do not change it."""


def json_answer(command: str, exit_code: int, fields: Mapping[str, Any]) -> str:
    """One JSON document that ends with a newline: the envelope, then `fields` in their order."""
    document = {"schema_version": SCHEMA_VERSION, "command": command, "exit_code": exit_code}
    return json.dumps({**document, **fields}, indent=2, ensure_ascii=False, default=_plain) + "\n"


def _plain(value: object) -> object:
    if isinstance(value, Decimal):
        # Whole numbers stay whole; everything else is the nearest double of an exact sum.
        return int(value) if value == value.to_integral_value() else float(value)
    isoformat = getattr(value, "isoformat", None)
    if isoformat is not None:
        return isoformat()
    raise TypeError(f"{type(value).__name__} has no JSON form")
