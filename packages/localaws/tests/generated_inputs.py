"""Inputs generated from botocore's models: minimal, random within the model, and invalid.

A `Pool` collects what the local AWS has answered, so that later inputs name clusters, subnets and
pages that exist: without it every call would end at the first "not found".
"""

from __future__ import annotations

import copy
import random
import string
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from clusterwright_localaws.core.validation import matches

# How deep optional members are filled; models may contain themselves.
_DEPTH: Final = 5
_WORDS: Final = ("train", "a", "nodes-1", "0", "x" * 40, "Prod", "eu-1", "default", "*")
# Values of the wrong type, as JSON has them.
_WRONG: Final[tuple[Any, ...]] = ("text", -1, 1.5, True, [], ["text"], {}, {"a": 1}, [[]], "")


class Pool:
    """Strings that the local AWS has answered, by member."""

    def __init__(self) -> None:
        self._found: dict[str, list[str]] = {}

    def add(self, value: Any, name: str = "") -> None:
        """Add every string of an answer or a request."""
        if isinstance(value, Mapping):
            for key, item in value.items():
                self.add(item, str(key))
        elif isinstance(value, (list, tuple)):
            for item in value:
                self.add(item, name)
        elif isinstance(value, str) and value:
            key = _key(name)
            held = self._found.setdefault(key, [])
            if value not in held:
                held.append(value)

    def strings(self, name: str) -> list[str]:
        """Values of members with a similar name: `ClusterName`, `clusterNames`, `Name`."""
        key = _key(name)
        found = list(self._found.get(key, ()))
        if not found:
            for other, values in self._found.items():
                if other.endswith(key) or key.endswith(other):
                    found += values
        return found


def _key(name: str) -> str:
    return name.lower().removesuffix("s")


def smallest(shape: Any, draw: random.Random, pool: Pool) -> dict[str, Any]:
    """Only what the model requires."""
    return _structure(shape, draw, pool, _DEPTH, 0.0)


def anything(shape: Any, draw: random.Random, pool: Pool) -> dict[str, Any]:
    """Required members, and some of the others."""
    return _structure(shape, draw, pool, 0, draw.choice((0.15, 0.4, 0.8)))


def varied(
    shape: Any, valid: Mapping[str, Any], draw: random.Random, pool: Pool
) -> dict[str, Any]:
    """A valid request with one to three of its members replaced, at any depth, or added."""
    found = copy.deepcopy(dict(valid))
    for _ in range(draw.randint(1, 3)):
        holder: Any = found
        here = shape
        while True:
            name = draw.choice(list(here.members))
            member = here.members[name]
            inner = holder.get(name)
            if member.type_name == "list" and isinstance(inner, list) and inner:
                member, inner = member.member, draw.choice(inner)
            deeper = member.type_name == "structure" and isinstance(inner, dict) and inner
            if deeper and draw.random() < 0.8:
                here, holder = member, inner
                continue
            holder[name] = _value(here.members[name], name, draw, pool, 2, 0.3)
            break
    return found


def without_required(shape: Any, value: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """`value` without one required member, for each of them that it has, at any depth."""
    for path in _required(shape, value, ()):
        broken = copy.deepcopy(dict(value))
        holder: Any = broken
        for step in path[:-1]:
            holder = holder[step]
        del holder[path[-1]]
        yield ".".join(map(str, path)), broken


def wrong_types(value: Any, draw: random.Random) -> Iterator[tuple[str, Any]]:
    """A JSON document with one value of another type, for each value of it."""
    for path in _paths(value, ()):
        broken = copy.deepcopy(value)
        holder = broken
        for step in path[:-1]:
            holder = holder[step]
        before = holder[path[-1]]
        others = [each for each in _WRONG if type(each) is not type(before)]
        holder[path[-1]] = draw.choice(others)
        yield ".".join(map(str, path)), broken


def _paths(value: Any, path: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    if path:
        yield path
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _paths(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value[:2]):
            yield from _paths(item, (*path, index))


def _required(shape: Any, value: Any, path: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    if shape.type_name == "structure" and isinstance(value, Mapping):
        for name, item in value.items():
            if name in shape.metadata.get("required", ()):
                yield (*path, name)
            yield from _required(shape.members[name], item, (*path, name))
    elif shape.type_name == "list" and isinstance(value, list) and value:
        yield from _required(shape.member, value[0], (*path, 0))


def _structure(
    shape: Any, draw: random.Random, pool: Pool, depth: int, share: float
) -> dict[str, Any]:
    required = set(shape.metadata.get("required", ()))
    optional = [name for name in shape.members if name not in required]
    if getattr(shape, "is_tagged_union", False) and optional:
        chosen = {draw.choice(optional)}
    elif depth >= _DEPTH:
        chosen = set()
    else:
        chosen = {name for name in optional if draw.random() < share}
    found = {}
    for name, member in shape.members.items():
        if name in required or name in chosen:
            found[name] = _value(member, name, draw, pool, depth + 1, share)
    return found


def _value(
    shape: Any, name: str, draw: random.Random, pool: Pool, depth: int, share: float
) -> Any:
    kind = shape.type_name
    if kind == "structure":
        if getattr(shape, "is_document_type", False):
            return {"a": [1, "b", None]}
        return _structure(shape, draw, pool, depth, share)
    if kind == "list":
        return _list(shape, name, draw, pool, depth, share)
    if kind == "map":
        size = _size(shape, draw)
        return {
            _string(shape.key, "Key", draw, pool): _value(
                shape.value, name, draw, pool, depth + 1, share
            )
            for _ in range(size)
        }
    return _scalar(shape, name, draw, pool)


def _list(
    shape: Any, name: str, draw: random.Random, pool: Pool, depth: int, share: float
) -> list[Any]:
    return [
        _value(shape.member, name, draw, pool, depth + 1, share)
        for _ in range(_size(shape, draw, usual=1))
    ]


def _size(shape: Any, draw: random.Random, usual: int = 1) -> int:
    low = shape.metadata.get("min", 0)
    high = shape.metadata.get("max", low + 4)
    return min(max(low, draw.choice((0, usual, usual, 2, 4))), max(high, low), 8)


def _scalar(shape: Any, name: str, draw: random.Random, pool: Pool) -> Any:
    kind = shape.type_name
    if kind == "boolean":
        return draw.random() < 0.5
    if kind in ("integer", "long", "short", "byte"):
        return _number(shape, draw)
    if kind in ("float", "double"):
        return float(_number(shape, draw)) / draw.choice((1, 3))
    # botocore's client sends S3's Expires as a timestamp, whatever the model says.
    if kind == "timestamp" or shape.name == "Expires":
        days = draw.choice((-4000, -1, 0, 1, 30, 4000))
        return datetime(2026, 11, 20, tzinfo=UTC) + timedelta(days=days)
    if kind == "blob":
        return draw.choice((b"", b"a", bytes(range(256))))
    return _string(shape, name, draw, pool)


def _number(shape: Any, draw: random.Random) -> int:
    low, high = shape.metadata.get("min"), shape.metadata.get("max")
    candidates = [0, 1, 2, 7, 64, 1200, 4800, -1, 2**31 - 1]
    candidates += [each for each in (low, high) if each is not None]
    fitting = [
        int(each)
        for each in candidates
        if (low is None or each >= low) and (high is None or each <= high)
    ]
    return draw.choice(fitting or [int(low or 0)])


def _string(shape: Any, name: str, draw: random.Random, pool: Pool) -> str:
    enum = shape.metadata.get("enum")
    if enum:
        return str(draw.choice(enum))
    low, high = shape.metadata.get("min", 0), shape.metadata.get("max", 1024)
    pattern = shape.metadata.get("pattern")

    def fits(value: str) -> bool:
        return low <= len(value) <= high and (pattern is None or matches(pattern, value))

    known = [value for value in pool.strings(name) if fits(value)]
    if known and draw.random() < 0.8:
        return draw.choice(known)
    words = [word for word in _WORDS if fits(word)]
    if pattern is not None and (not words or draw.random() < 0.5):
        made = from_pattern(pattern, draw)
        for _ in range(20):
            if made is not None and fits(made):
                return made
            made = from_pattern(pattern, draw)
    if words:
        return draw.choice(words)
    if draw.random() < 0.3:
        return "".join(draw.choice("aé\u00df\u4e2d\t\"'<&%/ ") for _ in range(max(low, 3)))
    return "".join(draw.choice(string.ascii_lowercase) for _ in range(max(low, min(12, high))))


def from_pattern(pattern: str, draw: random.Random) -> str | None:
    """A string that may match a model's pattern; `None` if Python cannot parse it."""
    import re._parser as parser  # type: ignore[import-not-found]

    try:
        return _walk(parser.parse(pattern), draw)
    except (re_error(), KeyError, OverflowError):
        return None


def re_error() -> type[Exception]:
    import re

    return re.error


def _walk(parsed: Any, draw: random.Random) -> str:
    return "".join(_token(str(kind), argument, draw) for kind, argument in parsed)


def _token(kind: str, argument: Any, draw: random.Random) -> str:
    if kind == "LITERAL":
        return chr(argument)
    if kind == "NOT_LITERAL":
        return "a" if argument != ord("a") else "b"
    if kind == "ANY":
        return draw.choice("aB0- ")
    if kind == "IN":
        return _of_class(argument, draw)
    if kind == "BRANCH":
        return _walk(draw.choice(argument[1]), draw)
    if kind == "SUBPATTERN":
        return _walk(argument[-1], draw)
    if kind in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
        low, high, item = argument
        count = draw.randint(low, min(int(high), low + 6))
        return "".join(_walk(item, draw) for _ in range(count))
    if kind in ("AT", "ASSERT", "ASSERT_NOT"):
        return ""
    raise KeyError(kind)


_CATEGORIES: Final = {
    "CATEGORY_DIGIT": "0123456789",
    "CATEGORY_NOT_DIGIT": "aZ-",
    "CATEGORY_WORD": "aZ09_",
    "CATEGORY_NOT_WORD": "-./ ",
    "CATEGORY_SPACE": " \t",
    "CATEGORY_NOT_SPACE": "aZ0-/é",
}


def _of_class(items: Any, draw: random.Random) -> str:
    choices: list[str] = []
    negated = False
    for kind, argument in items:
        if str(kind) == "NEGATE":
            negated = True
        elif str(kind) == "LITERAL":
            choices.append(chr(argument))
        elif str(kind) == "RANGE":
            choices.append(chr(draw.randint(argument[0], min(argument[1], argument[0] + 200))))
        else:
            choices.extend(_CATEGORIES[str(argument)])
    if negated:
        return draw.choice([each for each in "aZ09-_ é" if each not in choices] or ["a"])
    return draw.choice(choices)
