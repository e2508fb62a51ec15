"""Cells: the format of facts in the data files.

In a record that names a `source`, a plain value is a value of that source. Anything else is an
object: `{"value": ..., "source": ..., "note": ..., "derived": true}` or `{"unknown": reason}`.
"""

from __future__ import annotations

from typing import Any

Cell = Any


def cell(value: Any, source: str, note: str = "", *, derived: bool = False) -> Cell:
    """A known value with its own source, note or derivation."""
    written: dict[str, Any] = {"value": value, "source": source}
    if note:
        written["note"] = note
    if derived:
        written["derived"] = True
    return written


def unknown(reason: str) -> Cell:
    """An unknown value with its reason."""
    return {"unknown": reason}
