"""Expansion of groups with mixed capacity into one group for each kind.

No platform supports a group of instances with several kinds of capacity: an instance group of
HyperPod is on-demand, Spot or in one training plan (CreateCluster, botocore 1.44.5), a queue of
ParallelCluster and a node group of EKS have one capacity type. So a mix is written once, and the
resolved spec has the groups that are created: the first share keeps the group's name (an existing
group is not replaced when it becomes a mix), the others are `<name>-<kind>`. For each fallback
kind there is a group with 0 instances; nothing moves instances automatically.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any, NamedTuple

from clusterwright.cluster_spec.document import Document
from clusterwright.cluster_spec.layering import Layers
from clusterwright.cluster_spec.problems import Path, Problem

MIX = "mix"
_OF_ONE_KIND = ("min_count", "max_count")


class _Part(NamedTuple):
    group: dict[str, Any]
    share: int | None
    """Index in the shares; None for a fallback."""


class Mixing(NamedTuple):
    """The data with mixes resolved, the derived paths, the problems, and the parts of each mixed
    group by name.
    """

    compute: list[Any]
    derived: set[Path]
    problems: list[Problem]
    parts: dict[str, list[str]]


def unmix(compute: list[Any], layers: Layers) -> Mixing:
    """Return `compute` with every valid mix replaced; the models report the others.

    Additional parts are at the end of the list, so that no other group changes its index.
    """
    result, found = list(compute), Mixing([], set(), [], {})
    for index, group in enumerate(compute):
        if not _is_mix(group):
            continue
        wrong = list(_problems(group, index))
        found.problems.extend(wrong)
        if wrong:
            # The first share is used for all, so that the rest of the file can be checked.
            result[index] = {**group, "capacity": group["capacity"]["shares"][0]["capacity"]}
            _alias(layers, index, index, 0)
            continue
        parts = list(_parts(group))
        names = []
        for part in parts:
            place = index if part.share == 0 else len(result)
            if part.share == 0:
                result[index] = part.group
            else:
                result.append(part.group)
                found.derived.add(("compute", place, "name"))
            found.derived.update({("compute", place, "count"), ("compute", place, "part_of")})
            _alias(layers, index, place, part.share)
            names.append(part.group["name"])
        found.parts[group["name"]] = names
    return found._replace(compute=result)


def _is_mix(group: Any) -> bool:
    """Return whether this is a mix with valid shares; only those are expanded."""
    if not isinstance(group, dict) or not isinstance(group.get("name"), str):
        return False
    capacity, count = group.get("capacity"), group.get("count")
    if not isinstance(capacity, dict) or capacity.get("kind") != MIX or not _is_count(count):
        return False
    shares, fallback = capacity.get("shares"), capacity.get("fallback", [])
    if (
        not isinstance(shares, list)
        or not shares
        or set(capacity) - {"kind", "shares", "fallback"}
    ):
        return False
    if not isinstance(fallback, list) or not all(f in ("on-demand", "spot") for f in fallback):
        return False
    return all(_is_share(share) for share in shares)


def _is_share(share: Any) -> bool:
    """Return whether the models accept it; otherwise they report it where it is written."""
    from pydantic import ValidationError

    from clusterwright.cluster_spec.models.compute import CapacityShare

    try:
        CapacityShare.model_validate(share)
    except ValidationError:
        return False
    return True


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _problems(group: dict[str, Any], index: int) -> Iterator[Problem]:
    here: Path = ("compute", index, "capacity", "shares")
    shares = group["capacity"]["shares"]
    total = sum(share["percent"] for share in shares)
    if total != 100:
        yield Problem(f"the shares add up to {total} %, not 100 %", here)
        return
    counts = _counts(group["count"], [share["percent"] for share in shares])
    seen: list[Any] = []
    for place, (share, count) in enumerate(zip(shares, counts, strict=True)):
        if share["capacity"] in seen:
            yield Problem(
                f"duplicate kind {share['capacity']['kind']}", (*here, place, "capacity")
            )
        seen.append(share["capacity"])
        if group["count"] and not count:
            yield Problem(
                f"{share['percent']} % of {group['count']} instances is not a whole number of "
                "instances",
                (*here, place, "percent"),
            )
    for key in _OF_ONE_KIND:
        if key in group:
            yield Problem(
                f"`{key}` requires one kind of capacity: write a group for each kind",
                ("compute", index, key),
                other_path=("compute", index, "capacity"),
            )


def _parts(group: dict[str, Any]) -> Iterator[_Part]:
    capacity, name = group["capacity"], group["name"]
    shares = capacity["shares"]
    counts = _counts(group["count"], [share["percent"] for share in shares])
    taken = {name}
    common = {k: v for k, v in group.items() if k not in ("spare_count", *_OF_ONE_KIND)}
    for place, (share, count) in enumerate(zip(shares, counts, strict=True)):
        own = group if place == 0 else common
        label = name if place == 0 else _name(name, share["capacity"]["kind"], taken)
        part = {**own, "name": label, "count": count, "capacity": share["capacity"]}
        yield _Part({**part, "part_of": name}, place)
    kinds = {share["capacity"]["kind"] for share in shares}
    for kind in dict.fromkeys(capacity.get("fallback", [])):
        if kind not in kinds:
            part = {**common, "name": _name(name, kind, taken), "count": 0}
            yield _Part({**part, "capacity": {"kind": kind}, "part_of": name}, None)


def _counts(count: int, percents: list[int]) -> list[int]:
    """Return whole numbers of instances that add up: each boundary is rounded, halves up."""
    bounds, sum_percent = [0], 0
    for percent in percents:
        sum_percent += percent
        bounds.append((count * sum_percent + 50) // 100)
    return [after - before for before, after in itertools.pairwise(bounds)]


def _name(name: str, kind: str, taken: set[str]) -> str:
    found, number = f"{name}-{kind}", 2
    while found in taken:
        found, number = f"{name}-{kind}-{number}", number + 1
    taken.add(found)
    return found


def _alias(layers: Layers, index: int, place: int, share: int | None) -> None:
    """Map the paths of a part to the positions of the written group."""
    origin = layers.origin.get(("compute", index)) or layers.origin.get(("compute",))
    if origin is None:
        return
    moved = Document(origin.file, origin.data, origin.lines)
    own: Path = ("capacity", "shares", share, "capacity") if share is not None else ()
    for table, target in ((origin.values, moved.values), (origin.keys, moved.keys)):
        for path, position in table.items():
            if path[:2] != ("compute", index):
                continue
            tail = path[2:]
            if tail[:1] != ("capacity",) and place != index:
                target[("compute", place, *tail)] = position
            elif own and tail[:4] == own:
                target[("compute", place, "capacity", *tail[4:])] = position
            elif not own and tail == ("capacity", "fallback"):
                target[("compute", place, "capacity")] = position
    for path in [*moved.values, *moved.keys]:
        layers.origin[path] = moved
