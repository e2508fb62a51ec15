"""Format data files: sorted records, one field or row per line."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

# Levels of a file's objects on separate lines; deeper levels are on one line.
DEPTHS: Final = {
    "sources": 2,
    "names": 2,
    "instances": 3,
    "zones": 2,
    "offerings": 4,
    "prices": 2,
    "quotas": 2,
    "accelerators": 3,
    "ultraservers": 3,
    "network": 3,
    "lustre": 2,
    "limits": 2,
    "software": 4,
}


def text(name: str, document: Mapping[str, Any]) -> str:
    """The file's text, ending in a newline."""
    return _write(document, DEPTHS[name], 0) + "\n"


def _write(value: Any, depth: int, level: int) -> str:
    if depth == 0 or not isinstance(value, (Mapping, list, tuple)) or not value:
        return json.dumps(value, ensure_ascii=False)
    pad, end = " " * (level + 1), " " * level
    if isinstance(value, Mapping):
        inner = [
            f"{pad}{json.dumps(key, ensure_ascii=False)}: {_write(item, depth - 1, level + 1)}"
            for key, item in value.items()
        ]
        return "{\n" + ",\n".join(inner) + f"\n{end}}}"
    inner = [pad + _write(item, depth - 1, level + 1) for item in _sequence(value)]
    return "[\n" + ",\n".join(inner) + f"\n{end}]"


def _sequence(value: Sequence[Any]) -> Sequence[Any]:
    return value
