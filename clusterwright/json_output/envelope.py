"""Serialisation of JSON output: the envelope of every document, and numbers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final, Literal

SCHEMA_VERSION: Final[Literal[1]] = 1
"""Goes up when a key of an output is renamed or removed; new keys do not change it."""


def json_answer(command: str, exit_code: int, fields: Mapping[str, Any]) -> str:
    """The JSON document of a command without an output model: the envelope, then `fields`."""
    document = {"schema_version": SCHEMA_VERSION, "command": command, "exit_code": exit_code}
    return to_json({**document, **fields})


def to_json(document: Mapping[str, Any]) -> str:
    """Indented JSON that ends with a newline; decimals as numbers, dates as ISO 8601."""
    return json.dumps(document, indent=2, ensure_ascii=False, default=_plain) + "\n"


def plain_number(value: Any) -> Any:
    """A decimal as an integer where it is whole, else as the nearest double; others unchanged."""
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    return value


def _plain(value: object) -> object:
    if isinstance(value, Decimal):
        return plain_number(value)
    isoformat = getattr(value, "isoformat", None)
    if isoformat is not None:
        return isoformat()
    raise TypeError(f"{type(value).__name__} has no JSON form")
