"""The checks of the node program, and what the section `acceptance` says of them.

`acceptance_checks.json` is written by `tools.docs` from the node program.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

from clusterwright.cluster_spec.models.acceptance import OwnFloor
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.problems import Path as SpecPath
from clusterwright.cluster_spec.problems import Problem
from clusterwright.cluster_spec.suggest import did_you_mean

SIZED: Final = "cluster-allreduce"
"""The check whose figure depends on the message size and the number of nodes."""

NOT_ON_KUBERNETES: Final = ("mounts", "lustre-write")
"""Checks of file systems, which pods mount and nodes do not."""

_TABLE: Final = Path(__file__).with_name("acceptance_checks.json")


@cache
def table() -> dict[str, Any]:
    """The checks of the node program by kind of node, as `tools.docs` wrote them."""
    found: dict[str, Any] = json.loads(_TABLE.read_text(encoding="utf-8"))
    return found


def check_ids() -> tuple[str, ...]:
    """The ids that a waiver can name."""
    return (*(str(row["id"]) for row in table()["checks"]), str(table()["comparison"]))


def floor_units() -> dict[str, str]:
    """The units of the checks that compare a figure with a floor of the user's own."""
    found: dict[str, str] = table()["floor_units"]
    return found


def problems(cluster: Cluster) -> Iterator[Problem]:
    groups = [group.name for group in cluster.compute if group.role == "compute"]
    seen: dict[tuple[object, ...], SpecPath] = {}
    for index, floor in enumerate(cluster.acceptance.floors):
        here: SpecPath = ("acceptance", "floors", index)
        yield from _floor(floor, here)
        yield from _on_platform(floor.check, cluster, here)
        yield from _groups(floor.groups, cluster, here)
        for group in floor.groups or groups:
            key = (floor.check, floor.size_mib, floor.node_count, group)
            other = seen.setdefault(key, here)
            if other != here:
                yield Problem(
                    f"{floor.check} has two floors for group {group}",
                    here,
                    hint="remove one of them",
                    other_path=other,
                )
                break
    for index, waiver in enumerate(cluster.acceptance.waivers):
        here = ("acceptance", "waivers", index)
        yield from _known(waiver.check, check_ids(), here)
        yield from _on_platform(waiver.check, cluster, here)
        yield from _groups(waiver.groups, cluster, here)


def _floor(floor: OwnFloor, here: SpecPath) -> Iterator[Problem]:
    units = floor_units()
    if floor.check not in units:
        if floor.check in check_ids():
            yield Problem(
                f"{floor.check} compares no figure with a floor of your own",
                (*here, "check"),
                hint=f"checks with a floor: {', '.join(sorted(units))}",
            )
        else:
            yield from _known(floor.check, tuple(units), here)
        return
    if floor.unit != units[floor.check]:
        yield Problem(
            f"the figure of {floor.check} is in {units[floor.check]}, not {floor.unit}",
            (*here, "unit"),
            hint=f"unit: {units[floor.check]}",
            other_path=(*here, "check"),
        )
    for name in ("size_mib", "node_count"):
        if getattr(floor, name) is not None and floor.check != SIZED:
            yield Problem(
                f"`{name}` applies only to {SIZED}",
                (*here, name),
                hint="remove it",
                other_path=(*here, "check"),
            )
    sizes = table()["sweep_mib"]
    if floor.check == SIZED and floor.size_mib is not None and floor.size_mib not in sizes:
        listed = ", ".join(str(size) for size in sizes)
        yield Problem(
            f"{SIZED} does not measure {floor.size_mib} MiB",
            (*here, "size_mib"),
            hint=f"one of {listed}",
        )


def _on_platform(check: str, cluster: Cluster, here: SpecPath) -> Iterator[Problem]:
    if cluster.uses_kubernetes and check in NOT_ON_KUBERNETES:
        yield Problem(
            f"{check} is not tested on {cluster.platform}: pods mount the file systems",
            (*here, "check"),
            hint="remove it",
            other_path=("platform",),
        )


def _known(check: str, known: Sequence[str], here: SpecPath) -> Iterator[Problem]:
    if check not in known:
        yield Problem(
            f"no check is called {check}",
            (*here, "check"),
            hint=did_you_mean(check, known) or f"one of {', '.join(known)}",
        )


def _groups(named: Sequence[str], cluster: Cluster, here: SpecPath) -> Iterator[Problem]:
    known = [group.name for group in cluster.compute if group.role == "compute"]
    rests_on: list[SpecPath] = [("compute",)]
    for index in range(len(cluster.compute)):
        rests_on += [("compute", index, "name"), ("compute", index, "role")]
    for index, name in enumerate(named):
        if name not in known:
            yield Problem(
                f"no compute group is called {name}",
                (*here, "groups", index),
                hint=did_you_mean(name, known) or f"groups: {', '.join(known)}",
                rests_on=tuple(rests_on),
            )
