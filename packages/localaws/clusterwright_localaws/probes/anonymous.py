"""Replaces ids, account numbers, keys and addresses, so that a report can be sent to others."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

# What identifies a resource, an account or a caller; the form of an id is kept.
_PATTERNS: Final[tuple[tuple[re.Pattern[str], str], ...]] = (
    (re.compile(r"\b(AKIA|ASIA|AROA|AIDA|ANPA|AGPA|AIPA)[A-Z0-9]{12,}\b"), r"<\1 id>"),
    (
        re.compile(
            r"\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b"
        ),
        "<uuid>",
    ),
    (re.compile(r"\b([a-z][a-z-]{0,20})-[0-9a-f]{8,17}\b"), r"\1-<id>"),
    (re.compile(r"(:secret:[\w/+=.@-]+)-[A-Za-z0-9]{6}\b"), r"\1-<id>"),
    (re.compile(r"\b\d{12}\b"), "<account>"),
    (re.compile(r"\b[\w.+-]+@[\w-]+\.[\w.-]+\b"), "<e-mail>"),
    (re.compile(r"\b(?!0\.0\.0\.0)(\d{1,3}\.){3}\d{1,3}\b(?!/)"), "<address>"),
)


def anonymous(text: str, *known: str) -> str:
    """Return a text without what identifies an account; `known` strings are replaced too."""
    for one in sorted(filter(None, known), key=len, reverse=True):
        text = text.replace(one, "<name>")
    for pattern, instead in _PATTERNS:
        text = pattern.sub(instead, text)
    return text


def mapped(value: Any, change: Callable[[str], str]) -> Any:
    """Return a structure with every string changed, keys included."""
    if isinstance(value, dict):
        return {change(str(key)): mapped(item, change) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [mapped(item, change) for item in value]
    return change(value) if isinstance(value, str) else value
