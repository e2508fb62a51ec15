"""How one fact is written in the data files.

In a record that names a `source`, a plain value is a value of that source. Anything else is an
object: `{"value": ..., "source": ..., "note": ..., "derived": true}` or `{"unknown": reason}`.
"""

from __future__ import annotations

from typing import Any

Cell = Any


def cell(value: Any, source: str, note: str = "", *, derived: bool = False) -> Cell:
    """A known value of another source than its record's, or with something to say about it."""
    written: dict[str, Any] = {"value": value, "source": source}
    if note:
        written["note"] = note
    if derived:
        written["derived"] = True
    return written


def unknown(reason: str) -> Cell:
    """A value that no source gives."""
    return {"unknown": reason}
