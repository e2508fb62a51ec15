"""Strict reading of JSON: every key known, every type exact, all problems of a file collected."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterator, Sequence
from re import Pattern
from typing import Any

_REQUIRED = object()
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
    """The value in `text`. Duplicate keys are problems; broken JSON is a problem and gives
    None.
    """

    def pairs(items: Sequence[tuple[str, object]]) -> dict[str, object]:
        table: dict[str, object] = {}
        for key, value in items:
            if key in table:
                problems.append(f"{name}: the key {json.dumps(key)} is given twice")
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


class Table:
    """One JSON object being read. A wrong value is noted and replaced, so that reading goes on to
    the next.
    """

    def __init__(
        self, value: object, where: str, problems: list[str], separator: str = "."
    ) -> None:
        self._rest: dict[str, object] = {}
        self._where = where
        self._separator = separator
        self._problems = problems
        self._known: list[str] = []
        if isinstance(value, dict):
            self._rest = dict(value)
        else:
            problems.append(f"{where}: expected an object, found {_name(value)}")
            self._broken = True
            return
        self._broken = False

    def at(self, key: str) -> str:
        return self._where + self._separator + key

    def __contains__(self, key: str) -> bool:
        return key in self._rest

    def __iter__(self) -> Iterator[str]:
        return iter(list(self._rest))

    def note(self, key: str, text: str) -> None:
        self._problems.append(f"{self.at(key)}: {text}")

    def text(self, key: str, pattern: Pattern[str] | None = None, what: str = "") -> str:
        value = self._take(key, (str,), "a string")
        if not isinstance(value, str):
            return ""
        return self._matching(key, value, pattern, what)

    def text_or_null(
        self, key: str, pattern: Pattern[str] | None = None, what: str = ""
    ) -> str | None:
        value = self._take(key, (str, type(None)), "a string or null")
        if not isinstance(value, str):
            return None
        return self._matching(key, value, pattern, what)

    def text_or(
        self, key: str, default: str, pattern: Pattern[str] | None = None, what: str = ""
    ) -> str:
        value = self._take(key, (str,), "a string", default)
        return self._matching(key, value, pattern, what) if isinstance(value, str) else default

    def integer(self, key: str, minimum: int, maximum: int) -> int:
        return self._in_range(key, self._take(key, (int,), "an integer"), minimum, maximum)

    def integer_or_digits(self, key: str, minimum: int, maximum: int) -> int:
        """An integer, or a string of digits: what CloudFormation makes of a number that is a
        token.
        """
        value = self._take(key, (int, str), "an integer")
        if isinstance(value, str):
            if not re.fullmatch(r"[0-9]{1,10}", value):
                self.note(key, f"expected an integer, found {_shown(value)}")
                return minimum
            value = int(value)
        return self._in_range(key, value, minimum, maximum)

    def optional_integer(self, key: str, minimum: int, maximum: int) -> int | None:
        value = self._take(key, (int,), "an integer", None)
        return None if value is None else self._in_range(key, value, minimum, maximum)

    def integer_or(self, key: str, default: int, minimum: int, maximum: int) -> int:
        """An integer that may be left out, but not null."""
        return self._in_range(
            key, self._take(key, (int,), "an integer", default), minimum, maximum
        )

    def integer_or_null(self, key: str, minimum: int, maximum: int) -> int | None:
        """An integer or null; the key may be left out, which is as null."""
        value = self._take(key, (int, type(None)), "an integer or null", None)
        return None if value is None else self._in_range(key, value, minimum, maximum)

    def boolean(self, key: str) -> bool:
        return self._take(key, (bool,), "true or false") is True

    def optional_boolean(self, key: str, default: bool) -> bool:
        value = self._take(key, (bool,), "true or false", default)
        return default if value is None else value is True

    def choice(self, key: str, choices: Sequence[str]) -> str:
        value = self._take(key, (str,), "a string")
        if isinstance(value, str) and value not in choices:
            self.note(key, "{} is not one of {}".format(_shown(value), ", ".join(choices)))
            return choices[0]
        return value if isinstance(value, str) else choices[0]

    def choice_or(self, key: str, default: str, choices: Sequence[str]) -> str:
        """As `choice`, for a key that may be left out."""
        self._known.append(key)
        return self.choice(key, choices) if key in self else default

    def texts(self, key: str) -> tuple[str, ...]:
        items = []
        for index, item in enumerate(self._list(key)):
            if isinstance(item, str):
                items.append(item)
            else:
                self.note(f"{key}[{index}]", f"expected a string, found {_name(item)}")
        return tuple(items)

    def table(self, key: str) -> Table:
        value = self._take(key, (dict,), "an object")
        table = Table({}, self.at(key), self._problems) if value is None else None
        if table is not None:
            # Already noted as missing or wrong: its keys are not noted again one by one.
            table._broken = True
            return table
        return Table(value, self.at(key), self._problems)

    def table_or_null(self, key: str) -> Table | None:
        value = self._take(key, (dict, type(None)), "an object or null")
        return Table(value, self.at(key), self._problems) if isinstance(value, dict) else None

    def optional_table(self, key: str) -> Table | None:
        """None where the key is left out."""
        self._known.append(key)
        return self.table(key) if key in self else None

    def optional_tables(self, key: str) -> list[Table]:
        """Empty where the key is left out."""
        self._known.append(key)
        return self.tables(key) if key in self else []

    def tables(self, key: str) -> list[Table]:
        return [
            Table(item, self.at(f"{key}[{index}]"), self._problems)
            for index, item in enumerate(self._list(key))
        ]

    def done(self) -> None:
        """Notes every key that nobody asked for."""
        for key in self._rest:
            near = difflib.get_close_matches(key, self._known, n=1)
            self.note(key, "unknown key" + (f"; did you mean {near[0]}?" if near else ""))

    def _take(
        self, key: str, types: tuple[type, ...], expected: str, default: object = _REQUIRED
    ) -> Any:
        self._known.append(key)
        if key not in self._rest:
            if default is not _REQUIRED:
                return default
            if not self._broken:
                self.note(key, "missing")
            return None
        value = self._rest.pop(key)
        # bool is an int in Python and must not pass for one.
        if type(value) in types:
            return value
        self.note(key, f"expected {expected}, found {_shown(value)}")
        return None

    def _list(self, key: str) -> list[object]:
        value = self._take(key, (list,), "a list")
        return value if isinstance(value, list) else []

    def _matching(self, key: str, value: str, pattern: Pattern[str] | None, what: str) -> str:
        if pattern is not None and not pattern.fullmatch(value):
            self.note(key, f"{_shown(value)} is not {what}")
        elif pattern is None and (not value or any(ord(letter) < 32 for letter in value)):
            self.note(key, f"{_shown(value)} is empty or has control characters")
        return value

    def _in_range(self, key: str, value: object, minimum: int, maximum: int) -> int:
        if not isinstance(value, int):
            return minimum
        if not minimum <= value <= maximum:
            self.note(key, f"{value} is not between {minimum} and {maximum}")
            return minimum
        return value


def _name(value: object) -> str:
    return _TYPE_NAMES.get(type(value), type(value).__name__)


def _shown(value: object) -> str:
    if isinstance(value, (dict, list)) or value is None:
        return _name(value)
    text = json.dumps(value)
    return text if len(text) <= 60 else text[:57] + "..."
