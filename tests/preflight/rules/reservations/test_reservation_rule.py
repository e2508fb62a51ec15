"""Reservations and capacity blocks of a spec."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

from clusterwright.catalog import load_catalog
from clusterwright.platforms.loading import load_cluster
from clusterwright.preflight.context import Context
from clusterwright.preflight.rules.reservations.reservation_rule import by_reservation
from tests.support import specs
from tests.support.parallelcluster_specs import with_groups

BLOCK = {"kind": "capacity-block", "id": "cr-0a1b2c3d4e5f60718"}
RESERVATION = {"kind": "reservation", "id": "cr-0f1e2d3c4b5a69788"}


def group(name: str, capacity: dict[str, str], **more: Any) -> dict[str, Any]:
    base = {"role": "compute", "instance_type": "p5.48xlarge", "count": 2}
    return {"name": name, **base, "capacity": capacity, **more}


def context(folder: Path, *groups: dict[str, Any]) -> Context:
    spec = load_cluster(specs.write(folder / "spec.yaml", with_groups(*groups)))
    return Context(spec, load_catalog(), dt.date(2026, 11, 20))


def test_groups_of_one_reservation_are_together(tmp_path: Path) -> None:
    found = list(
        by_reservation(
            context(
                tmp_path,
                group("a", RESERVATION),
                group("b", RESERVATION, max_count=5),
                group("c", BLOCK),
            )
        )
    )
    assert [(use.id, use.word, use.count, use.most) for use in found] == [
        (RESERVATION["id"], "reservation", 4, 7),
        (BLOCK["id"], "capacity block", 2, 2),
    ]
    assert [path for path, _ in found[0].groups] == [("compute", 2), ("compute", 3)]


def test_other_capacity_has_no_reservation(tmp_path: Path) -> None:
    found = by_reservation(context(tmp_path, group("a", {"kind": "on-demand"})))
    assert list(found) == []
