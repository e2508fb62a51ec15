"""The difference of two resolved specs, value by value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from clusterwright.review.results import SpecChange

_ABSENT: Final = object()

NAMES: Final = ("name", "mount_path", "rule", "resource", "s3", "kind")
"""Keys that identify the items of a list: the first one that is unique in all of them."""


def spec_changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[SpecChange, ...]:
    """Every leaf that differs, with paths such as `compute[workers].count`.

    A list item that is added or removed is one change, with the whole item as its value.
    """
    return tuple(_changes("", before, after))


def _changes(path: str, before: Any, after: Any) -> Iterator[SpecChange]:
    if _value(before) is None and _value(after) is None:
        # A key that one platform lacks and that is null on the other.
        return
    if before is _ABSENT or after is _ABSENT:
        yield SpecChange(path, _value(before), _value(after))
    elif isinstance(before, Mapping) and isinstance(after, Mapping):
        for key in [*before, *(k for k in after if k not in before)]:
            here = f"{path}.{key}" if path else str(key)
            yield from _changes(here, before.get(key, _ABSENT), after.get(key, _ABSENT))
    elif isinstance(before, list) and isinstance(after, list):
        yield from _list_changes(path, before, after)
    elif before != after or isinstance(before, bool) != isinstance(after, bool):
        yield SpecChange(path, before, after)


def _list_changes(path: str, before: list[Any], after: list[Any]) -> Iterator[SpecChange]:
    key = _key(before, after)
    if key is None:
        if not any(isinstance(item, (Mapping, list)) for item in (*before, *after)):
            if before != after:
                yield SpecChange(path, before, after)
            return
        for index in range(max(len(before), len(after))):
            yield from _changes(
                f"{path}[{index}]",
                before[index] if index < len(before) else _ABSENT,
                after[index] if index < len(after) else _ABSENT,
            )
        return
    old = {item[key]: item for item in before}
    new = {item[key]: item for item in after}
    for name in [*old, *(n for n in new if n not in old)]:
        yield from _changes(f"{path}[{name}]", old.get(name, _ABSENT), new.get(name, _ABSENT))
    if list(old) != list(new) and old.keys() == new.keys():
        # The order of partitions, file systems and groups matters in the deployment.
        yield SpecChange(f"{path} (order)", list(old), list(new))


def _key(before: list[Any], after: list[Any]) -> str | None:
    items = [*before, *after]
    if not items or not all(isinstance(item, Mapping) for item in items):
        return None
    for key in NAMES:
        named = all(isinstance(item.get(key), str) for item in items)
        if named and all(len({i[key] for i in side}) == len(side) for side in (before, after)):
            return key
    return None


def _value(value: Any) -> Any:
    return None if value is _ABSENT else value
