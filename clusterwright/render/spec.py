"""A resolved spec as YAML: sorted keys, one value per line, with the origin of each."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

Path = tuple[str | int, ...]

# Text without quotes: it cannot be parsed as a number, a date, a boolean, null or syntax.
_PLAIN = re.compile(r"[A-Za-z/][A-Za-z0-9_./@+-]*(:[A-Za-z0-9_./@+-]+)*")
_RESERVED_WORDS = frozenset(("true", "false", "null", "yes", "no", "on", "off", "y", "n"))

_LARGEST_WHOLE_FLOAT = 10**15


def spec_yaml(
    data: Mapping[str, Any], origins: Mapping[Path, str] | None = None, *, ordered: bool = False
) -> str:
    """YAML of plain data (JSON types) that ends with a newline.

    `origins` maps the path of a leaf to a comment after it. Keys are sorted unless `ordered`.
    """
    keys = list if ordered else sorted
    lines = [
        f"{line}  # {origins[path]}" if origins and path in origins else line
        for line, path in _mapping(data, (), "", keys)
    ]
    return "\n".join(lines) + "\n"


def leaves(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Every scalar, empty mapping and empty list, with its path."""
    if isinstance(value, Mapping) and value:
        for key in sorted(value):
            yield from leaves(value[key], (*path, key))
    elif isinstance(value, list) and value:
        for index, item in enumerate(value):
            yield from leaves(item, (*path, index))
    else:
        yield path, value


def whole(value: Any) -> Any:
    """`value` with whole floats as integers: 2500000 instead of 2500000.0."""
    if isinstance(value, Mapping):
        return {key: whole(child) for key, child in value.items()}
    if isinstance(value, list):
        return [whole(child) for child in value]
    if isinstance(value, float) and value.is_integer() and abs(value) < _LARGEST_WHOLE_FLOAT:
        return int(value)
    return value


_Keys = Callable[[Iterable[str]], list[str]]


def _mapping(
    data: Mapping[str, Any], path: Path, indent: str, keys: _Keys
) -> Iterator[tuple[str, Path]]:
    for key in keys(data):
        yield from _entry(f"{indent}{_scalar(key)}:", data[key], (*path, key), indent, keys)


def _entry(
    head: str, value: Any, path: Path, indent: str, keys: _Keys
) -> Iterator[tuple[str, Path]]:
    if isinstance(value, Mapping) and value:
        yield head, path
        yield from _mapping(value, path, indent + "  ", keys)
    elif isinstance(value, list) and value:
        yield head, path
        yield from _sequence(value, path, indent + "  ", keys)
    else:
        yield f"{head} {_scalar(value)}", path


def _sequence(
    items: list[Any], path: Path, indent: str, keys: _Keys
) -> Iterator[tuple[str, Path]]:
    for index, item in enumerate(items):
        here = (*path, index)
        if isinstance(item, Mapping) and item:
            for number, (line, below) in enumerate(_mapping(item, here, indent + "  ", keys)):
                yield (f"{indent}- {line[len(indent) + 2 :]}" if number == 0 else line), below
        elif isinstance(item, list) and item:
            yield f"{indent}-", here
            yield from _sequence(item, here, indent + "  ", keys)
        else:
            yield f"{indent}- {_scalar(item)}", here


def _scalar(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        if _PLAIN.fullmatch(value) and value.lower() not in _RESERVED_WORDS:
            return value
        return json.dumps(value, ensure_ascii=not value.isprintable())
    if isinstance(value, (Mapping, list)):
        return "[]" if isinstance(value, list) else "{}"
    return repr(value)
