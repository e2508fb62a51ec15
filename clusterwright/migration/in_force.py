"""What holds by default before a move and not after it, although no file says it.

`migrate` moves what files say. A default is in force as much as what is written: recovery of
nodes by HyperPod, a database of jobs on the controller, the name of a partition. What the old
platform does by itself and the new one does not, or does otherwise, is found by comparing both
clusters leaf by leaf, so that a key that is added to the spec needs nothing here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.problems import Path
from clusterwright.cluster_spec.unused_fields import SECTIONS, meaningless, without_meaningless
from clusterwright.migration.results import Note

_NOTHING: Final = (None, False, 0, "none", "off", "")
"""Values by which a key says that it does nothing."""

_TOLD: Final = frozenset({"environment", "platform", "waivers", "allow_replacement"})
"""Sections that are not the cluster's own behaviour, or that are told of elsewhere."""

_HISTORY: Final = "slurm.accounting"
"""Told of where it is said what becomes of the history of jobs."""


def defaults_lost(before: Cluster, after: Cluster, said: Iterable[Note]) -> Iterator[Note]:
    """What holds by default on the old platform and has no counterpart on the new one.

    Keys that one reason takes away are one note.
    """
    old, new, told = _leaves(before, after), _leaves(after, before), _paths(said)
    places = {_text(after, item.path): item.reason for item in meaningless(after)}
    found: dict[str, list[str]] = {}
    reasons: dict[str, str] = {}
    for path, value in old.items():
        if path in new or value in _NOTHING or _is_told(path, told):
            continue
        place = next((p for p in places if _is_told(path, frozenset({p}))), path)
        # Entries of lists that are defaults differ in number only: nothing takes them away.
        reason = places.get(place, f"{after.platform} has none")
        key = f"{place.rpartition('.')[0]}: {reason}"
        found.setdefault(key, []).append(f"{path}: {value}")
        reasons[key] = reason
    for key, values in found.items():
        first = values[0].partition(": ")[0]
        yield Note(first, f"{_listed(values, first)} by default; {reasons[key]}")


def defaults_changed(before: Cluster, after: Cluster, said: Iterable[Note]) -> Iterator[Note]:
    """What holds by default on both platforms and is not the same."""
    old, new, told = _leaves(before, after), _leaves(after, before), _paths(said)
    for path, value in old.items():
        if path not in new or new[path] == value or _is_told(path, told):
            continue
        yield Note(
            path,
            f"{value} by default on {before.platform}, {new[path]} on {after.platform}",
            "write it where it matters; what names it changes too",
        )


def _listed(values: list[str], first: str) -> str:
    head, *rest = values
    return ", ".join([head.removeprefix(f"{first}: "), *rest])


def _paths(said: Iterable[Note]) -> frozenset[str]:
    return frozenset(note.path for note in said if note.path)


def _is_told(path: str, told: frozenset[str]) -> bool:
    if path == _HISTORY or path.startswith(f"{_HISTORY}."):
        return True
    return any(path == one or path.startswith((f"{one}.", f"{one}[")) for one in told)


def _leaves(cluster: Cluster, other: Cluster) -> dict[str, Any]:
    """Every leaf that means something, by its path; groups stand under their names.

    Sections of one scheduler or platform, and groups that only one of both has, are told of as
    such.
    """
    data = without_meaningless(cluster, cluster.model_dump(mode="json", by_alias=True))
    names = {group.name for group in other.compute}
    found: dict[str, Any] = {}
    for section, value in data.items():
        if section in _TOLD or other.platform not in SECTIONS.get(section, (other.platform,)):
            continue
        if section == "compute":
            for group in value:
                if group["name"] in names:
                    _walk(group, f"compute[{group['name']}]", found)
        else:
            _walk(value, section, found)
    return found


def _walk(value: Any, path: str, found: dict[str, Any]) -> None:
    if isinstance(value, dict):
        for key, child in value.items():
            _walk(child, f"{path}.{key}", found)
    elif isinstance(value, list):
        for index, child in enumerate(value):
            _walk(child, f"{path}[{index}]", found)
    else:
        found[path] = value


def _text(cluster: Cluster, path: Path) -> str:
    """The same path as `_leaves` writes it."""
    text = ""
    for place, part in enumerate(path):
        if isinstance(part, int) and place == 1 and path[0] == "compute":
            text += f"[{cluster.compute[part].name}]"
        elif isinstance(part, int):
            text += f"[{part}]"
        else:
            text += f".{part}" if text else part
    return text
