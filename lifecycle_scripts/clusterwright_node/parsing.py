"""Strict reading of JSON: every key known, every type exact, all problems of a file collected."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator, Sequence
from typing import Any

REQUIRED = object()
_TYPE_NAMES = {
    dict: "an object",
    list: "a list",
    str: "a string",
    bool: "a boolean",
    int: "an integer",
    float: "a number",
    type(None): "null",
}


def parse_json(text: str, name: str, problems: list[str]) -> object:
    """Return the value in `text`; add duplicate keys to `problems`.

    For text that is not JSON, add a problem and return None.
    """

    def pairs(items: Sequence[tuple[str, object]]) -> dict[str, object]:
        table: dict[str, object] = {}
        for key, value in items:
            if key in table:
                problems.append(f"{name}: duplicate key {json.dumps(key)}")
            table[key] = value
        return table

    def constant(word: str) -> object:
        problems.append(f"{name}: {word} is not JSON")
        return None

    try:
        return json.loads(text, object_pairs_hook=pairs, parse_constant=constant)
    except ValueError as error:
        problems.append(f"{name}: not JSON: {error}")
    except RecursionError:
        problems.append(f"{name}: nested too deeply")
    return None


class JsonObject:
    """A JSON object that is read key by key.

    A missing or wrong value is added to the problems and replaced, so that one run reports all
    problems.
    """

    def __init__(
        self, value: object, where: str, problems: list[str], separator: str = "."
    ) -> None:
        self._where = where
        self._separator = separator
        self._problems = problems
        self._known: list[str] = []
        self._broken = not isinstance(value, dict)
        self._rest: dict[str, object] = dict(value) if isinstance(value, dict) else {}
        if self._broken:
            problems.append(f"{where}: expected an object, found {type_name(value)}")

    def __contains__(self, key: str) -> bool:
        return key in self._rest

    def __iter__(self) -> Iterator[str]:
        return iter(list(self._rest))

    def at(self, key: str) -> str:
        """The full path of a key, for messages."""
        return self._where + self._separator + key

    def note(self, key: str, text: str) -> None:
        """Add a problem of a key."""
        self._problems.append(f"{self.at(key)}: {text}")

    def take(
        self, key: str, types: tuple[type, ...], expected: str, default: object = REQUIRED
    ) -> Any:
        """The value of a key if its type is one of `types`, None if it is missing or wrong."""
        self._known.append(key)
        if key not in self._rest:
            if default is not REQUIRED:
                return default
            if not self._broken:
                self.note(key, "missing")
            return None
        value = self._rest.pop(key)
        # bool is a subclass of int in Python, so compare the types themselves.
        if type(value) in types:
            return value
        self.note(key, f"expected {expected}, found {shown(value)}")
        return None

    def text(self, key: str) -> str:
        """A string that is not empty and has no control characters."""
        value = self.take(key, (str,), "a string")
        if not isinstance(value, str):
            return ""
        if not value or any(ord(letter) < 32 for letter in value):
            self.note(key, f"{shown(value)} is empty or has control characters")
        return value

    def object(self, key: str, value: Any = REQUIRED) -> JsonObject:
        """The object at a key, or `value` as that object if it was taken already."""
        if value is REQUIRED:
            value = self.take(key, (dict,), "an object")
        found = JsonObject({} if value is None else value, self.at(key), self._problems)
        # A missing or wrong object is one problem: do not report its keys one by one.
        found._broken = value is None
        return found

    def items(self, key: str, default: Any = REQUIRED) -> Sequence[Any]:
        """The items of the list at a key, of any type."""
        value = self.take(key, (list,), "a list", default)
        return value if isinstance(value, list) else []

    def objects(self, key: str, default: Any = REQUIRED) -> list[JsonObject]:
        """The items of the list at a key, as objects."""
        return [
            JsonObject(item, self.at(f"{key}[{index}]"), self._problems)
            for index, item in enumerate(self.items(key, default))
        ]

    def done(self) -> None:
        """Add a problem for every key that was not read."""
        for key in self._rest:
            near = difflib.get_close_matches(key, self._known, n=1)
            self.note(key, "unknown key" + (f"; did you mean {near[0]}?" if near else ""))


def type_name(value: object) -> str:
    """The name of a JSON value's type, for messages."""
    return _TYPE_NAMES.get(type(value), type(value).__name__)


def shown(value: object) -> str:
    """A JSON value in at most 60 characters, for messages."""
    if isinstance(value, (dict, list)) or value is None:
        return type_name(value)
    text = json.dumps(value)
    return text if len(text) <= 60 else text[:57] + "..."
