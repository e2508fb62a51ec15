"""Texts and documents without secrets.

A secret is found by the name of its member (`password`, `SecretString`), by a mark of the service
(`sensitive`, `NoEcho`), or because it was found before. What looks like a secret and is none is
replaced too.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final
from urllib.parse import quote, quote_plus

from clusterwright_localaws.core.urls import without_passwords

REDACTED: Final = "<redacted>"
# Shorter values are replaced where they were found only: they occur by chance in other texts.
SHORTEST_SECRET: Final = 6
_LARGEST_DOCUMENT: Final = 1_000_000
_NAMES: Final = (
    r"pass(?:word|phrase|wd)s?|secret_?(?:string|binary|access_?key|key)|private_?key|client_?secret"
    r"|(?:auth|session|access|authorization|bearer)_?token|api_?key"
)
_SECRET_NAME: Final = re.compile(rf"(?:{_NAMES}|secret)$", re.IGNORECASE)
# A secret in a text: after its name to the closing quotation mark, or to the end of the line.
_IN_TEXT: Final = re.compile(
    rf"""(?isx)
    ( (?: (?:{_NAMES}) (?:\\*["'])? \s*(?:=>|[:=])\s*+
        | secret (?:\\*["'])? (?:\s*=\s*+|:\s++) ) )
    (?! (?:\\*["'])? (?: \{{\{{resolve: | {REDACTED} ) )
    (?: (\\*["']) .*? (?<!\\)\2 | [^\n]+ )"""
)
_RESOLVED: Final = re.compile(r"(?:\{\{resolve:[^{}]*\}\})+")


def names_a_secret(name: str) -> bool:
    """Return whether a member with such a name holds a secret."""
    return _SECRET_NAME.search(name.replace("-", "_")) is not None


def clean_text(value: str, found: set[str]) -> str:
    """Return a text without what it says to be secrets.

    Those of a document are added to `found`.
    """
    if value.lstrip()[:1] in ("{", "[") and len(value) <= _LARGEST_DOCUMENT:
        try:
            document = json.loads(value)
            shown = clean_document(document, found)
        except (ValueError, RecursionError):
            pass
        else:
            return value if shown == document else json.dumps(shown, ensure_ascii=False)
    return _IN_TEXT.sub(_replaced, without_passwords(value))


def _replaced(match: re.Match[str]) -> str:
    mark = match[2] or ""
    return f"{match[1]}{mark}{REDACTED}{mark}"


def clean_document(value: Any, found: set[str], name: str = "") -> Any:
    """Return a JSON document without secrets, which are added to `found`."""
    if isinstance(value, Mapping):
        return {
            key: clean_document(item, found, "" if isinstance(item, Mapping) else str(key))
            for key, item in value.items()
        }
    if isinstance(value, list | tuple):
        return [clean_document(item, found, name) for item in value]
    if name and names_a_secret(name):
        return hidden(value, found)
    return clean_text(value, found) if isinstance(value, str) else value


def hidden(value: Any, found: set[str]) -> Any:
    """Return what is shown of a literal secret, which is added to `found`.

    Booleans, empty texts and references to a secret that is kept elsewhere stay.
    """
    if value is None or isinstance(value, bool) or value in ("", "true", "false", REDACTED):
        return value
    if isinstance(value, str) and _RESOLVED.fullmatch(value):
        return value
    found |= texts(value)
    return REDACTED


def texts(value: Any) -> set[str]:
    """Return the texts of a secret that other texts are searched for."""
    if isinstance(value, Mapping):
        return set().union(*(texts(item) for item in value.values()))
    if isinstance(value, list | tuple):
        return set().union(*(texts(item) for item in value))
    if isinstance(value, bytes | bytearray):
        value = bytes(value).decode("utf-8", "ignore")
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str) or len(value.strip()) < SHORTEST_SECRET:
        return set()
    found = {value, value.strip()}
    try:
        # A secret is often a JSON document, whose values are used apart from it.
        document = json.loads(value)
    except (ValueError, RecursionError):
        return found
    return found | (texts(document) if isinstance(document, dict | list) else set())


class KnownSecrets:
    """Secrets that were found, and their forms in other texts; not safe for several threads."""

    def __init__(self) -> None:
        self._values: set[str] = set()
        self._forms: list[str] = []

    def add(self, values: Iterable[str]) -> None:
        """Remember secrets."""
        new = set(values) - self._values
        if new:
            self._values |= new
            known = {*self._forms, *(form for value in new for form in _forms(value))}
            self._forms = sorted(known, key=lambda form: (-len(form), form))

    def cleaned(self, value: Any) -> Any:
        """Return texts, or a document of texts, without these secrets."""
        whole = json.dumps(value, default=str, ensure_ascii=False)
        forms = [
            form for form in self._forms if json.dumps(form, ensure_ascii=False)[1:-1] in whole
        ]
        return _without(value, forms) if forms else value


def _forms(value: str) -> Iterator[str]:
    yield value
    for is_ascii in (False, True):
        quoted = value
        for _ in range(2):  # in a document, and in a document within a document
            quoted = json.dumps(quoted, ensure_ascii=is_ascii)[1:-1]
            yield quoted
    yield quote(value, safe="", errors="replace")
    yield quote_plus(value, errors="replace")
    yield base64.b64encode(value.encode("utf-8", "replace")).decode()


def _without(value: Any, forms: list[str]) -> Any:
    if isinstance(value, Mapping):
        return {_without(str(key), forms): _without(item, forms) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_without(item, forms) for item in value]
    if not isinstance(value, str):
        return value
    for form in forms:
        value = value.replace(form, REDACTED)
    return value
