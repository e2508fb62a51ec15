"""Waivers of checks that a request brought, which the controller keeps.

They are those of the file from which the last request was made, all of them: a request replaces
the waivers of the one before, and one without the key leaves them. A check of a node is waived
if the node's own scripts or these waive it; the later expiry counts.
"""

from __future__ import annotations

import datetime as dt
import json
import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Callable

from clusterwright_common import records

FILE = "waivers.json"
"""In the folder of the acceptance program, on the controller."""
MOST = 1000
SHORTEST_REASON, LONGEST_REASON = 10, 1000
_MOST_NAMES = 1000
_HIDDEN = ("Cc", "Cf", "Cs")
"""Categories of characters that nobody sees, such as the soft hyphen."""
_CHECKS = Path(__file__).resolve().parents[1] / "clusterwright_acceptance" / "checks.json"
_COMPARISON = "equal-versions"
_NAME = re.compile(r"[A-Za-z0-9._-]{1,253}")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_KEYS = {"check", "reason", "expires", "nodes", "groups"}


def read(value: Any) -> list[dict[str, Any]]:
    """The waivers of a request.

    Raises
    ------
    ValueError
        One is not valid; the message says which, and why.
    """
    if not isinstance(value, list) or len(value) > MOST:
        raise ValueError(f"waivers must be a list of at most {MOST}")
    return [_read(row, f"waivers[{index}]") for index, row in enumerate(value)]


def keep(folder: Path, rows: list[dict[str, Any]], run: str, by: str, at: str) -> None:
    """Replace the kept waivers; `run` is the request that brought them. Raises OSError."""
    content = {"schema_version": 1, "run": run, "by": by, "at": at, "waivers": rows}
    records.write(folder / FILE, content)


def load(folder: Path, say: Callable[[str], None]) -> list[dict[str, Any]]:
    """The kept waivers; those that are not valid, as of a check that is gone, are left out."""
    rows = records.read(folder / FILE).get("waivers", [])
    found = []
    for index, row in enumerate(rows[:MOST] if isinstance(rows, list) else ()):
        try:
            found.append(_read(row, f"waivers[{index}]"))
        except ValueError as error:
            say(f"{FILE}: {error}: it does not apply")
    return found


def of_group(rows: list[dict[str, Any]], group: str) -> list[dict[str, Any]]:
    """Those that apply to nodes of a group."""
    return [row for row in rows if not row["groups"] or group in row["groups"]]


def _read(row: Any, where: str) -> dict[str, Any]:
    if not isinstance(row, Mapping) or not set(row) <= _KEYS:
        raise ValueError(f"{where} must have the keys {', '.join(sorted(_KEYS))}")
    check, reason, expires = row.get("check"), row.get("reason"), row.get("expires")
    if not isinstance(check, str) or check not in _known():
        raise ValueError(f"{where}: no check is called {str(check)[:63]}")
    text = _reason(reason, where)
    if not isinstance(expires, str) or not _is_day(expires):
        raise ValueError(f"{where}: expires must be a day such as 2027-01-31")
    names = {key: _names(row.get(key, []), f"{where}.{key}") for key in ("nodes", "groups")}
    return {"check": check, "reason": text, "expires": expires, **names}


def _reason(value: Any, where: str) -> str:
    """The reason as one line; `cluster_spec/models/acceptance.py` has the same rule."""
    text = " ".join(value.split()) if isinstance(value, str) else ""
    hidden = next((each for each in text if unicodedata.category(each) in _HIDDEN), None)
    if hidden is not None:
        raise ValueError(f"{where}: the reason has the invisible character U+{ord(hidden):04X}")
    if not SHORTEST_REASON <= len(text) <= LONGEST_REASON:
        raise ValueError(
            f"{where}: the reason must have {SHORTEST_REASON} to {LONGEST_REASON} characters"
        )
    return text


def _names(value: Any, where: str) -> list[str]:
    if not isinstance(value, list) or len(value) > _MOST_NAMES:
        raise ValueError(f"{where} must be a list of at most {_MOST_NAMES} names")
    if not all(isinstance(name, str) and _NAME.fullmatch(name) for name in value):
        raise ValueError(f"{where} must be names")
    return list(value)


def _is_day(text: str) -> bool:
    if _DAY.fullmatch(text) is None:
        return False
    try:
        dt.date.fromisoformat(text)
    except ValueError:
        return False
    return True


@lru_cache(maxsize=1)
def _known() -> frozenset[str]:
    content = json.loads(_CHECKS.read_text(encoding="utf-8"))
    return frozenset({_COMPARISON, *(str(row["id"]) for row in content["checks"])})
