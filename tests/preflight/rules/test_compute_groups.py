"""Lookups over the compute groups of a spec."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

from clusterwright.catalog import load_catalog
from clusterwright.preflight.context import Context
from clusterwright.preflight.rules import compute_groups
from tests.support import specs

PLAN = {"kind": "training-plan", "arn": specs.PLAN}
MORE = {"name": "more", "role": "compute", "instance_type": "p5.48xlarge", "count": 2}


def context(folder: Path, changes: dict[str, Any] | None = None) -> Context:
    return Context(specs.load(folder, changes), load_catalog(), dt.date(2026, 11, 20))


def test_groups_by_type(tmp_path: Path) -> None:
    found = compute_groups.by_type(context(tmp_path, {"compute.2": MORE}).groups())
    names = {kind: [group.name for _, group in groups] for kind, groups in found.items()}
    assert names == {"m5.4xlarge": ["controller"], "p5.48xlarge": ["workers", "more"]}
    assert compute_groups.largest(found["p5.48xlarge"]) == ("compute", 1, "count")


def test_groups_by_training_plan(tmp_path: Path) -> None:
    found = compute_groups.by_plan(context(tmp_path, {"compute.1.capacity": PLAN}))
    ((arn, groups),) = found.items()
    assert (arn, [group.name for _, group in groups]) == (specs.PLAN, ["workers"])
    assert compute_groups.plan_name(arn) == "run-1"
    assert compute_groups.by_plan(context(tmp_path)) == {}


def test_types_with_their_first_use(tmp_path: Path) -> None:
    found = compute_groups.instance_types(context(tmp_path, {"compute.2": MORE}))
    assert found == {
        "m5.4xlarge": ("compute", 0, "instance_type"),
        "p5.48xlarge": ("compute", 1, "instance_type"),
    }


def test_sizes_of_ultraservers(tmp_path: Path) -> None:
    found = context(tmp_path)
    assert compute_groups.ultraserver_sizes(found, "p6e-gb200.36xlarge") == [9, 18]
    assert compute_groups.ultraserver_sizes(found, "p5.48xlarge") == []
