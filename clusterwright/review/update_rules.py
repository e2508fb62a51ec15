"""The services' rules for updates in place, from `update_rules.yaml`.

The schemas of CloudFormation say which properties are create-only. The table says what a service
does when another property changes: what it refuses, and what becomes of nodes and jobs.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, get_args

from ruamel.yaml import YAML

from clusterwright.review.expressions import Expression, references, shown
from clusterwright.review.resource_changes import ResourceVersion
from clusterwright.review.results import DeploymentBlocker, NodesEffect, ServiceRule

TABLE: Final = Path(__file__).with_suffix(".yaml")
_STEP: Final = re.compile(r"(\w+)\[(\w+)\]")


@dataclass(frozen=True, kw_only=True)
class UpdateRule:
    """One row of the table; its keys are explained there."""

    type: str
    property: str
    nodes: NodesEffect
    says: str
    source: str
    date: str
    when: Mapping[str, str] = field(default_factory=dict)
    refused: tuple[str, ...] = ()
    hint: str | None = None
    waits_hours: int | None = None
    local_aws: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Change:
    """One changed value: its path, with the name of a list item, and both values."""

    path: str
    before: Expression | None
    after: Expression | None
    item: Mapping[str, Any]
    """The list item before, or the properties of the resource."""


def rules() -> tuple[UpdateRule, ...]:
    """Every row of the table."""
    return _table()


def refusals(
    before: ResourceVersion, after: ResourceVersion, moved: Collection[str] = ()
) -> Iterator[DeploymentBlocker]:
    """What the service refuses of an update in place.

    `moved` are properties that change, also those whose value follows another resource.
    """
    where = "/".join(after.key)
    for rule, change in _matching(before, after, moved):
        for words in rule.refused:
            name, _, number = words.partition(" ")
            message = _REFUSALS[name](change, float(number) if number else 0.0, before, after)
            if message is not None:
                # What an accepted change does would mislead; it is the reason of a row that
                # accepts none.
                reason = f"; {rule.says}" if "changed" in rule.refused else ""
                yield DeploymentBlocker(
                    kind="cannot-shrink" if name == "smaller" else "cannot-change",
                    where=where,
                    message=f"{where}: {change.path}: {message}{reason} ({rule.source})",
                    hint=rule.hint or "keep the value",
                )
                break


def effects(
    before: ResourceVersion, after: ResourceVersion, moved: Collection[str] = ()
) -> Iterator[ServiceRule]:
    """What the service does with an update in place, for each property that changes."""
    for rule, change in _matching(before, after, moved):
        refused = any(
            _REFUSALS[words.partition(" ")[0]](
                change, float(words.partition(" ")[2] or 0), before, after
            )
            for words in rule.refused
        )
        if refused:
            continue
        wait = ""
        if rule.waits_hours is not None:
            wait = (
                f"; refused within {rule.waits_hours} hours of the last change of this kind, "
                "which the templates do not show"
            )
        yield ServiceRule(
            where="/".join(after.key),
            type=after.type,
            property=change.path,
            nodes=rule.nodes,
            message=f"{rule.says}{wait}",
            source=rule.source,
            date=rule.date,
        )


def _matching(
    before: ResourceVersion, after: ResourceVersion, moved: Collection[str]
) -> Iterator[tuple[UpdateRule, Change]]:
    """The changes with their rows: the first row of the longest path whose conditions hold."""
    own = [rule for rule in _table() if rule.type == after.type]
    taken: list[str] = []
    for rule in sorted(own, key=lambda rule: -len(rule.property)):
        for change in _of_row(rule, before, after, moved):
            if not _applies(rule, change, before) or _covered(change.path, taken):
                continue
            taken.append(change.path)
            yield rule, change


def _of_row(
    rule: UpdateRule, before: ResourceVersion, after: ResourceVersion, moved: Collection[str]
) -> Iterator[Change]:
    found = list(_changes(dict(before.properties), dict(after.properties), rule.property))
    yield from found
    if not found and rule.property in moved:
        # The value follows another resource, such as the latest version of a launch template.
        values = [side.properties.get(rule.property) for side in (before, after)]
        yield Change(rule.property, values[0], values[1], before.properties)


def _covered(path: str, taken: list[str]) -> bool:
    """Whether a row of the same property, or of a member, has been applied."""
    return any(path == other or other.startswith(f"{path}.") for other in taken)


def _changes(before: Any, after: Any, path: str, shown_path: str = "") -> Iterator[Change]:
    """The values at a path of the table that differ."""
    step, _, rest = path.partition(".")
    found = _STEP.fullmatch(step)
    if found is not None:
        name, key = found.groups()
        old, new = _by_key(before, name, key), _by_key(after, name, key)
        for label in old.keys() & new.keys():
            here = f"{shown_path}{name}[{label}]"
            if rest:
                yield from _changes(old[label], new[label], rest, f"{here}.")
            elif old[label] != new[label]:
                yield Change(here, old[label], new[label], old[label])
        return
    yield from _at_path(before, after, path, shown_path)


def _at_path(before: Any, after: Any, path: str, shown_path: str) -> Iterator[Change]:
    old, new = _value(before, path), _value(after, path)
    if old != new:
        item = before if isinstance(before, Mapping) else {}
        yield Change(f"{shown_path}{path}", old, new, item)


def _by_key(value: Any, name: str, key: str) -> dict[str, Mapping[str, Any]]:
    items = value.get(name) if isinstance(value, Mapping) else None
    return {
        str(item[key]): item
        for item in (items if isinstance(items, list) else ())
        if isinstance(item, Mapping) and key in item
    }


def _value(value: Any, path: str) -> Any:
    for part in path.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    return value


def _applies(rule: UpdateRule, change: Change, before: ResourceVersion) -> bool:
    for path, wanted in rule.when.items():
        found = _value(change.item, path)
        if found is None:
            found = _value(dict(before.properties), path)
        if found != wanted:
            return False
    return True


# --- refusals --------------------------------------------------------------------------------

Refusal = Callable[[Change, float, ResourceVersion, ResourceVersion], str | None]


def _number(value: Expression | None) -> float | None:
    if not isinstance(value, str) or not re.fullmatch(r"\d+(\.\d+)?", value):
        return None
    return float(value)


def _known(value: Expression | None) -> bool:
    return value is not None and not list(references(value))


def _smaller(change: Change, _: float, *__: ResourceVersion) -> str | None:
    old, new = _number(change.before), _number(change.after)
    if old is None or new is None or new >= old:
        return None
    return f"cannot be reduced from {old:,.0f} to {new:,.0f}"


def _grows_too_little(change: Change, percent: float, *_: ResourceVersion) -> str | None:
    old, new = _number(change.before), _number(change.after)
    if old is None or new is None or not old < new < old * (1 + percent / 100):
        return None
    least = old * (1 + percent / 100)
    return f"grows by at least {percent:.0f} percent, to {least:,.0f}, not to {new:,.0f}"


def _no_multiple(change: Change, step: float, *_: ResourceVersion) -> str | None:
    old, new = _number(change.before), _number(change.after)
    if old is None or new is None or new <= old or not new % step:
        return None
    return f"grows to a multiple of {step:,.0f}, not to {new:,.0f}"


def _changed(change: Change, _: float, *__: ResourceVersion) -> str | None:
    if not (_known(change.before) and _known(change.after)):
        return None
    return f"cannot be changed from {shown(change.before)} to {shown(change.after)}"


def _removed(change: Change, _: float, *__: ResourceVersion) -> str | None:
    gone = change.before is not None and change.after is None
    return "cannot be removed" if gone else None


def _added(change: Change, _: float, *__: ResourceVersion) -> str | None:
    new = change.before is None and change.after is not None
    return "cannot be added" if new else None


def _version(value: Expression | None) -> tuple[int, ...] | None:
    if not isinstance(value, str) or not re.fullmatch(r"\d+(\.\d+)*", value):
        return None
    return tuple(int(part) for part in value.split("."))


def _older(change: Change, _: float, *__: ResourceVersion) -> str | None:
    old, new = _version(change.before), _version(change.after)
    if old is None or new is None or new >= old[: len(new)]:
        return None
    return f"cannot be taken back from {change.before} to {change.after}"


def _not_the_next_minor(change: Change, _: float, *__: ResourceVersion) -> str | None:
    old, new = _version(change.before), _version(change.after)
    if old is None or new is None or len(old) != 2 or len(new) != 2:
        return None
    if old[0] == new[0] and old[1] <= new[1] <= old[1] + 1:
        return None
    text = f"EKS cannot update Kubernetes {change.before} to {change.after}"
    more = "it never downgrades" if new < old else "it updates one minor version at a time"
    return f"{text}; {more}"


def _major_without_flag(
    change: Change, _: float, __: ResourceVersion, after: ResourceVersion
) -> str | None:
    """MariaDB, MySQL: the first two parts are the major version; PostgreSQL: the first."""
    old, new = _version(change.before), _version(change.after)
    if old is None or new is None:
        return None
    parts = 1 if str(after.properties.get("Engine", "")).startswith("postgres") else 2
    if old[:parts] == new[:parts]:
        return None
    if after.properties.get("AllowMajorVersionUpgrade") == "true":
        return None
    return f"{change.before} to {change.after} is a major version, which is not allowed"


def _block_with_nodes(
    _: Change, __: float, before: ResourceVersion, after: ResourceVersion
) -> str | None:
    """EKS user guide, "Create a managed node group with Capacity Blocks for ML"."""
    kinds = [_value(dict(side.properties), "CapacityType") for side in (before, after)]
    sizes = [
        _number(_value(dict(side.properties), "ScalingConfig.DesiredSize"))
        for side in (before, after)
    ]
    if "CAPACITY_BLOCK" not in kinds or sizes == [0, 0]:
        return None
    return "EKS updates a node group in a Capacity Block only while it has no nodes"


_REFUSALS: Final[Mapping[str, Refusal]] = {
    "smaller": _smaller,
    "grows-by-less-than": _grows_too_little,
    "not-a-multiple-of": _no_multiple,
    "changed": _changed,
    "removed": _removed,
    "added": _added,
    "older": _older,
    "not-the-next-minor": _not_the_next_minor,
    "major-without-flag": _major_without_flag,
    "capacity-block-with-nodes": _block_with_nodes,
}
REFUSALS: Final = frozenset(_REFUSALS)
"""The values of `refused`."""

NODES: Final[tuple[NodesEffect, ...]] = get_args(NodesEffect)
"""The values of `nodes`."""


@functools.cache
def _table() -> tuple[UpdateRule, ...]:
    found = YAML(typ="safe").load(TABLE.read_text(encoding="utf-8"))
    return tuple(
        UpdateRule(
            **{
                **row,
                "date": str(row["date"]),
                "refused": tuple(row.get("refused", ())),
                "when": row.get("when", {}),
            }
        )
        for row in found
    )
