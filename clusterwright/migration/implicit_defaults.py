"""Defaults that a migration changes although no file contains them.

`migrate` transfers what files contain. Defaults matter as much: node recovery by HyperPod, a job
database on the controller, the name of a partition. Both clusters are compared leaf by leaf, so a
new key of the spec needs no change here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.problems import Path
from clusterwright.cluster_spec.unused_fields import unused_fields, without_unused_fields
from clusterwright.migration.results import Note
from clusterwright.platforms.registry import SECTIONS

_EMPTY: Final = (None, False, 0, "none", "off", "")
"""Values that turn a key off."""

_EXCLUDED: Final = frozenset({"environment", "platform", "waivers", "allow_replacement"})
"""Sections that do not describe the cluster's behaviour, or are reported elsewhere."""

_ACCOUNTING: Final = "slurm.accounting"
"""Reported with the job history."""


def defaults_lost(before: Cluster, after: Cluster, said: Iterable[Note]) -> Iterator[Note]:
    """Defaults of the old platform without a counterpart on the new one.

    Keys with the same reason are one note.
    """
    old, new, told = _leaves(before, after), _leaves(after, before), _paths(said)
    places = {_text(after, item.path): item.reason for item in unused_fields(after)}
    found: dict[str, list[str]] = {}
    reasons: dict[str, str] = {}
    for path, value in old.items():
        if path in new or value in _EMPTY or _is_covered(path, told):
            continue
        place = next((p for p in places if _is_covered(path, frozenset({p}))), path)
        # Default entries of lists differ only in number: no reason removes them.
        reason = places.get(place, f"{after.platform} has none")
        key = f"{place.rpartition('.')[0]}: {reason}"
        found.setdefault(key, []).append(f"{path}: {value}")
        reasons[key] = reason
    for key, values in found.items():
        first = values[0].partition(": ")[0]
        yield Note(first, f"{_listed(values, first)} by default; {reasons[key]}")


def defaults_changed(before: Cluster, after: Cluster, said: Iterable[Note]) -> Iterator[Note]:
    """Defaults that differ between the two platforms."""
    old, new, told = _leaves(before, after), _leaves(after, before), _paths(said)
    for path, value in old.items():
        if path not in new or new[path] == value or _is_covered(path, told):
            continue
        yield Note(
            path,
            f"{value} by default on {before.platform}, {new[path]} on {after.platform}",
            "set it explicitly where it matters, and update what refers to it",
        )


def _listed(values: list[str], first: str) -> str:
    head, *rest = values
    return ", ".join([head.removeprefix(f"{first}: "), *rest])


def _paths(said: Iterable[Note]) -> frozenset[str]:
    return frozenset(note.path for note in said if note.path)


def _is_covered(path: str, told: frozenset[str]) -> bool:
    if path == _ACCOUNTING or path.startswith(f"{_ACCOUNTING}."):
        return True
    return any(path == key or path.startswith((f"{key}.", f"{key}[")) for key in told)


def _leaves(cluster: Cluster, other: Cluster) -> dict[str, Any]:
    """Every leaf with an effect, by its path; groups are listed by name.

    Sections of one scheduler or platform, and groups that only one cluster has, are reported
    separately.
    """
    data = without_unused_fields(cluster, cluster.model_dump(mode="json", by_alias=True))
    names = {group.name for group in other.compute}
    found: dict[str, Any] = {}
    for section, value in data.items():
        if section in _EXCLUDED or (section in SECTIONS and section not in other.traits.sections):
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
    """The path in the notation of `_leaves`."""
    text = ""
    for place, part in enumerate(path):
        if isinstance(part, int) and place == 1 and path[0] == "compute":
            text += f"[{cluster.compute[part].name}]"
        elif isinstance(part, int):
            text += f"[{part}]"
        else:
            text += f".{part}" if text else part
    return text
