"""Comparison of an answer with what AWS answers."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import jmespath  # type: ignore[import-untyped]

_NAME: Final = re.compile(r"\$\{([a-z][A-Za-z0-9_.\[\]]*)\}")
# `${name?}`: the member is left out where there is no such value.
_OPTIONAL: Final = re.compile(r"\$\{([a-z][A-Za-z0-9_.\[\]]*)\?\}")


class UnknownName(Exception):
    """A step uses a value that no earlier step saved."""


def filled(value: Any, names: Mapping[str, Any]) -> Any:
    """Return `value` with every `${name}` replaced; a string that is only one keeps its type.

    Raises
    ------
    UnknownName
        A name has no value.
    """
    if isinstance(value, Mapping):
        return {
            filled(key, names): filled(_required(item), names)
            for key, item in value.items()
            if not _left_out(item, names)
        }
    if isinstance(value, list):
        return [filled(item, names) for item in value]
    if not isinstance(value, str):
        return value
    whole = _NAME.fullmatch(value)
    if whole:
        return _named(whole[1], names)
    return _NAME.sub(lambda found: str(_named(found[1], names)), value)


def unmet(
    expected: Mapping[str, Any], answer: Mapping[str, Any], names: Mapping[str, Any]
) -> Iterator[tuple[str, str, Any]]:
    """Yield path, expectation and answered value of every member that differs."""
    for path, value in expected.items():
        found = member(path, answer)
        if not holds(value, found, names):
            yield path, described(value, names), found


def member(path: str, answer: Any) -> Any:
    """Return what is at a path (JMESPath) of an answer; None if there is nothing."""
    try:
        return jmespath.search(path, answer)
    except jmespath.exceptions.JMESPathTypeError:  # a function of a member that is absent
        return None


def holds(expected: Any, found: Any, names: Mapping[str, Any]) -> bool:
    """Return whether a member of an answer is what AWS answers."""
    if not isinstance(expected, Mapping):
        return bool(filled(expected, names) == found)
    ((operator, given),) = expected.items()
    if operator == "matches":
        # Values are inserted as they are, not as regular expressions.
        pattern = _NAME.sub(lambda one: re.escape(str(_named(one[1], names))), given)
        return isinstance(found, str) and re.fullmatch(pattern, found, re.DOTALL) is not None
    value = filled(given, names)
    return bool(_OPERATORS[operator](value, found))


def described(expected: Any, names: Mapping[str, Any]) -> str:
    """Return an expectation in words."""
    if not isinstance(expected, Mapping):
        return repr(filled(expected, names))
    ((operator, given),) = expected.items()
    if operator == "equals":
        return repr(filled(given, names))
    if operator == "is":
        return str(given)
    return f"{operator.replace('_', ' ')} {filled(given, names)!r}"


def _left_out(value: Any, names: Mapping[str, Any]) -> bool:
    found = _OPTIONAL.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        return False
    try:
        _named(found[1], names)
    except UnknownName:
        return True
    return False


def _required(value: Any) -> Any:
    found = _OPTIONAL.fullmatch(value) if isinstance(value, str) else None
    return value if found is None else f"${{{found[1]}}}"


def _named(name: str, names: Mapping[str, Any]) -> Any:
    if name in names:
        return names[name]
    first, _, rest = name.partition(".")
    if rest and first in names:
        found = member(rest, names[first])
        if found is not None:
            return found
    raise UnknownName(name)


def _has_form(form: str, found: Any) -> bool:
    types: dict[str, Any] = {
        "string": str,
        "list": list,
        "map": Mapping,
        "time": dt.datetime,
    }
    if form == "absent":
        return found is None
    if form == "present":
        return found is not None
    if form == "number":
        return isinstance(found, int | float) and not isinstance(found, bool)
    return isinstance(found, types[form])


def _contains(value: Any, found: Any) -> bool:
    if isinstance(found, list):
        return all(item in found for item in value) if isinstance(value, list) else value in found
    return isinstance(found, str) and isinstance(value, str) and value in found


_OPERATORS: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "equals": lambda value, found: value == found,
    "any_of": lambda value, found: found in value,
    "contains": _contains,
    "length": lambda value, found: (
        isinstance(found, list | str | bytes | Mapping) and len(found) == value
    ),
    "is": _has_form,
}
