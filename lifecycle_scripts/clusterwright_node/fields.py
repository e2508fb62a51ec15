"""Fields of dataclasses that describe JSON objects: how each is read, written and documented.

`contract.py` declares dataclasses with these fields; `read` and `to_json` are the two directions.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from re import Pattern
from typing import Any, TypeVar

from clusterwright_node.parsing import REQUIRED, JsonObject, shown, type_name

UNKNOWN = "unknown"
PATH = re.compile(r"(?:/[A-Za-z0-9._+@-]+)+")
_T = TypeVar("_T")


class Kind:
    """How the value of one key is read, written and documented. This class copies values."""

    shape = ""
    """The type, as the reference page names it."""

    def read(self, table: JsonObject, key: str, default: Any) -> Any:
        """The value of `key`; where it is wrong, a problem is noted and another value returned."""
        raise NotImplementedError

    def to_json(self, value: Any) -> Any:
        """The value as JSON."""
        return value

    def build(self, value: Any) -> Any:
        """The field's value from an attribute of the same name of another object."""
        return value


def read(kind: type[_T], table: JsonObject) -> _T:
    """An instance of a dataclass from a JSON object; every problem is noted in `table`."""
    values = {
        field.name: field.metadata["kind"].read(table, field.name, field.metadata["default"])
        for field in _fields(kind)
    }
    table.done()
    return kind(**values)


def to_json(value: Any) -> dict[str, Any]:
    """The JSON object of a dataclass's instance, as `read` reads it."""
    return {
        field.name: field.metadata["kind"].to_json(getattr(value, field.name))
        for field in _fields(value)
        if not field.metadata["omit"] or getattr(value, field.name) != field.metadata["default"]
    }


def build(kind: type[_T], source: object, **values: Any) -> _T:
    """An instance of a dataclass: `values`, and for other fields the attributes of `source`."""
    for field in _fields(kind):
        if field.name not in values:
            values[field.name] = field.metadata["kind"].build(getattr(source, field.name))
    return kind(**values)


def _fields(kind: Any) -> tuple[dataclasses.Field[Any], ...]:
    return dataclasses.fields(kind)


def declare(kind: Kind, default: Any = REQUIRED, omit: bool = False) -> Any:
    """A field of a dataclass. Without a default the key is required.

    With `omit` the default is not written, so that files without the key keep their digest.
    """
    return dataclasses.field(metadata={"kind": kind, "default": default, "omit": omit})


class _Text(Kind):
    def __init__(self, pattern: Pattern[str], what: str, null: bool, unknown: bool) -> None:
        self._pattern, self._what, self._null, self._unknown = pattern, what, null, unknown
        name = "absolute path" if pattern is PATH else "string"
        self.shape = name + " or null" * null + " or `unknown`" * unknown

    def read(self, table: JsonObject, key: str, default: Any) -> str | None:
        types = (str, type(None)) if self._null else (str,)
        value = table.take(key, types, "a string" + " or null" * self._null, default)
        if not isinstance(value, str):
            return None if self._null else ""
        if self._unknown and value == UNKNOWN:
            return None
        if not self._pattern.fullmatch(value):
            table.note(key, f"{shown(value)} is not {self._what}")
        elif self._pattern is PATH and ".." in value.split("/"):
            table.note(key, "has ..")
        return value

    def to_json(self, value: Any) -> Any:
        return UNKNOWN if self._unknown and value is None else value


def text(
    pattern: Pattern[str],
    what: str,
    default: Any = REQUIRED,
    null: bool = False,
    unknown: bool = False,
) -> Any:
    """A string that matches; `what` completes "... is not". `unknown` is read as None."""
    return declare(_Text(pattern, what, null, unknown), default)


def path(default: Any = REQUIRED, null: bool = False) -> Any:
    """An absolute path without `..`."""
    return declare(_Text(PATH, "an absolute path", null, unknown=False), default)


class _Integer(Kind):
    def __init__(self, minimum: int, maximum: int, null: bool, text: str) -> None:
        self._minimum, self._maximum, self._null, self._text = minimum, maximum, null, text
        bounds = f"integer, {minimum} to {maximum}" if minimum < maximum else str(minimum)
        in_words = {"digits": " or a string of digits", UNKNOWN: " or `unknown`", "": ""}
        self.shape = bounds + " or null" * null + in_words[text]

    def read(self, table: JsonObject, key: str, default: Any) -> int | None:
        types: tuple[type, ...] = (int, str) if self._text else (int,)
        if self._null:
            types = (*types, type(None))
        value = table.take(key, types, "an integer" + " or null" * self._null, default)
        if isinstance(value, str):
            if value == self._text == UNKNOWN:
                return None
            if self._text == UNKNOWN or not re.fullmatch(r"[0-9]{1,10}", value):
                table.note(key, f"expected an integer, found {shown(value)}")
                return self._minimum
            value = int(value)
        if value is None:
            return None if self._null or default is None else self._minimum
        if not self._minimum <= value <= self._maximum:
            table.note(key, f"{value} is not between {self._minimum} and {self._maximum}")
            return self._minimum
        number: int = value
        return number

    def to_json(self, value: Any) -> Any:
        return UNKNOWN if self._text == UNKNOWN and value is None else value


def integer(
    minimum: int, maximum: int, default: Any = REQUIRED, null: bool = False, text: str = ""
) -> Any:
    """An integer between bounds.

    `text` is a string that is allowed too: `digits`, what CloudFormation makes of a number that
    is known only at deployment, or `unknown`, which is read as None.
    """
    return declare(_Integer(minimum, maximum, null, text), default)


class _Number(Kind):
    shape = "number above 0"

    def read(self, table: JsonObject, key: str, default: Any) -> float:
        value = table.take(key, (int, float), "a number", default)
        if value is None:
            return 1.0
        if value <= 0:
            table.note(key, f"{value} is not above 0")
        return float(value)


def number() -> Any:
    """A number above 0."""
    return declare(_Number())


class _Boolean(Kind):
    shape = "boolean"

    def read(self, table: JsonObject, key: str, default: Any) -> bool:
        value = table.take(key, (bool,), "true or false", default)
        return default is True if value is None else value is True


def boolean(default: Any = REQUIRED, omit: bool = False) -> Any:
    """true or false."""
    return declare(_Boolean(), default, omit)


class _Choice(Kind):
    def __init__(self, choices: tuple[str, ...]) -> None:
        self._choices = choices
        self.shape = " or ".join(f"`{choice}`" for choice in choices)

    def read(self, table: JsonObject, key: str, default: Any) -> str:
        value = table.take(key, (str,), "a string", default)
        if isinstance(value, str) and value in self._choices:
            return value
        if value is not None:
            table.note(key, "{} is not one of {}".format(shown(value), ", ".join(self._choices)))
        return self._choices[0]


def choice(*choices: str, default: Any = REQUIRED, omit: bool = False) -> Any:
    """One of some strings."""
    return declare(_Choice(choices), default, omit)


class _Texts(Kind):
    def __init__(self, valid: Callable[[str], bool] | None, what: str, shape: str) -> None:
        self._valid, self._what = valid, what
        self.shape = shape

    def read(self, table: JsonObject, key: str, default: Any) -> tuple[str, ...]:
        found = []
        for index, item in enumerate(table.items(key, default)):
            if not isinstance(item, str):
                table.note(f"{key}[{index}]", f"expected a string, found {type_name(item)}")
                continue
            if self._valid is not None and not self._valid(item):
                table.note(f"{key}[{index}]", f"not {self._what}")
            found.append(item)
        return tuple(found)

    def to_json(self, value: Any) -> Any:
        return list(value)

    def build(self, value: Any) -> Any:
        return tuple(value)


def texts(
    valid: Callable[[str], bool] | None = None,
    what: str = "",
    default: Any = REQUIRED,
    shape: str = "list of strings",
) -> Any:
    """A list of strings; where one is not `valid`, the problem is "not" and `what`."""
    return declare(_Texts(valid, what, shape), default)


class Record(Kind):
    """An object that another dataclass describes."""

    def __init__(self, kind: type, null: bool) -> None:
        self.kind, self._null = kind, null
        self.shape = "object" + " or null" * null

    def read(self, table: JsonObject, key: str, default: Any) -> Any:
        types = (dict, type(None)) if self._null else (dict,)
        value = table.take(key, types, "an object" + " or null" * self._null, default)
        if isinstance(value, dict):
            return read(self.kind, table.object(key, value))
        if self._null or default is not REQUIRED:
            return value
        return read(self.kind, table.object(key, None))  # a problem is noted already

    def to_json(self, value: Any) -> Any:
        return None if value is None else to_json(value)

    def build(self, value: Any) -> Any:
        return None if value is None else build(self.kind, value)


def record(kind: type, default: Any = REQUIRED, null: bool = False, omit: bool = False) -> Any:
    """An object that another dataclass describes."""
    return declare(Record(kind, null), default, omit)


class Records(Kind):
    """A list of objects that another dataclass describes."""

    shape = "list"

    def __init__(self, kind: type) -> None:
        self.kind = kind

    def read(self, table: JsonObject, key: str, default: Any) -> Any:
        return tuple(read(self.kind, item) for item in table.objects(key, default))

    def to_json(self, value: Any) -> Any:
        return [to_json(item) for item in value]

    def build(self, value: Any) -> Any:
        return tuple(build(self.kind, item) for item in value)


def records(kind: type, default: Any = REQUIRED, omit: bool = False) -> Any:
    """A list of objects that another dataclass describes."""
    return declare(Records(kind), default, omit)


class _Mapping(Kind):
    shape = "object"

    def __init__(self, kind: type) -> None:
        self._kind = kind

    def read(self, table: JsonObject, key: str, default: Any) -> dict[str, Any]:
        del default
        inner = table.object(key)
        return {name: read(self._kind, inner.object(name)) for name in inner}

    def to_json(self, value: Any) -> Any:
        return {name: to_json(item) for name, item in value.items()}


def mapping(kind: type) -> Any:
    """An object with names of the reader's choice, whose values another dataclass describes."""
    return declare(_Mapping(kind))
