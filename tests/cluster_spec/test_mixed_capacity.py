"""A mix is one group in the file, and one group per kind in the resolved spec."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clusterwright.cluster_spec import SpecErrors
from clusterwright.cluster_spec.mixed_capacity import _counts
from clusterwright.platforms.loading import load_cluster
from tests.support import specs

PLAN = {"kind": "training-plan", "arn": specs.PLAN}
SPOT = {"kind": "spot"}


def mix(*shares: tuple[Any, Any], **more: Any) -> dict[str, Any]:
    parts = [{"percent": percent, "capacity": capacity} for percent, capacity in shares]
    return {"kind": "mix", "shares": parts, **more}


def changes(capacity: dict[str, Any], **group: Any) -> dict[str, Any]:
    return {
        "compute.1.count": 8,
        "compute.1.capacity": capacity,
        **{f"compute.1.{key}": value for key, value in group.items()},
    }


def groups(folder: Path, **changed: Any) -> list[tuple[str, int, str, str | None]]:
    cluster = specs.load(folder, changed).cluster
    return [(g.name, g.count, g.capacity.kind, g.part_of) for g in cluster.compute]


def test_first_share_keeps_the_name_and_position(tmp_path: Path) -> None:
    further = {"compute.2": {**specs.SMALL["compute"][1], "name": "more", "count": 1}}
    capacity = mix((75, PLAN), (25, SPOT), fallback=["on-demand", "spot"])
    assert groups(tmp_path, **{**changes(capacity), **further}) == [
        ("controller", 1, "on-demand", None),
        ("workers", 6, "training-plan", "workers"),
        ("more", 1, "on-demand", None),
        ("workers-spot", 2, "spot", "workers"),
        ("workers-on-demand", 0, "on-demand", "workers"),
    ]


def test_partitions_contain_all_groups_of_a_mix(tmp_path: Path) -> None:
    capacity = mix((50, {"kind": "on-demand"}), (50, SPOT))
    spec = specs.load(tmp_path, changes(capacity))
    assert spec.cluster.slurm.partitions[0].groups == ["workers", "workers-spot"]
    named = {"slurm": {"partitions": [{"name": "train", "groups": ["workers"]}]}}
    spec = specs.load(tmp_path, {**changes(capacity), **named})
    assert spec.cluster.slurm.partitions[0].groups == ["workers", "workers-spot"]


def test_groups_of_a_mix_differ_in_capacity_and_spares_only(tmp_path: Path) -> None:
    capacity = mix((50, {"kind": "on-demand"}), (50, SPOT))
    more = {"ebs": {"capacity_gib": 100}, "spare_count": 1}
    scripted = {"slurm": {"configuration": "scripted"}}
    cluster = specs.load(tmp_path, {**changes(capacity, **more), **scripted}).cluster
    first, second = cluster.compute[1:]
    assert first.ebs == second.ebs
    assert (first.spare_count, second.spare_count) == (1, 0)
    assert first.instance_type == second.instance_type


def test_the_resolved_spec_resolves_to_itself(tmp_path: Path) -> None:
    capacity = mix((75, PLAN), (25, SPOT), fallback=["on-demand"])
    first = specs.load(tmp_path, changes(capacity)).resolved()
    path = tmp_path / "again.yaml"
    path.write_text(json.dumps(first))
    assert load_cluster(path).resolved() == first


def test_positions_are_those_of_the_mix(tmp_path: Path) -> None:
    capacity = mix((75, PLAN), (25, SPOT), fallback=["on-demand"])
    spec = specs.load(tmp_path, changes(capacity))
    lines = (tmp_path / "spec.yaml").read_text().splitlines()

    def written(*path: str | int) -> str:
        position = spec.position(path)
        assert position is not None
        return lines[position.line - 1].strip()

    assert "training-plan/run-1" in written("compute", 1, "capacity", "arn")
    assert written("compute", 2, "capacity", "kind") == '"kind": "spot"'
    assert written("compute", 2, "count") == written("compute", 1, "count") == '"count": 8,'
    assert "fallback" in written("compute", 3, "capacity", "kind")


@pytest.mark.parametrize(
    ("capacity", "group", "path", "message"),
    [
        (mix((70, PLAN), (25, SPOT)), {}, "compute[1].capacity.shares", "shares add up to 95 %"),
        (mix((50, SPOT), (50, SPOT)), {}, "compute[1].capacity.shares[1].capacity", "duplicate"),
        (
            mix((95, PLAN), (5, SPOT)), {}, "compute[1].capacity.shares[1].percent",
            "5 % of 8 instances is not a whole number of instances",
        ),
        (mix((50, PLAN), (50, SPOT)), {"min_count": 2}, "compute[1].min_count", "one kind"),
        (mix((50, PLAN), (50, SPOT)), {"max_count": 9}, "compute[1].max_count", "one kind"),
        (mix((100, PLAN)), {}, "compute[1].capacity.shares", ""),
        (mix((0, PLAN), (100, SPOT)), {}, "compute[1].capacity.shares[0].percent", ""),
        (mix((50.5, PLAN), (49.5, SPOT)), {}, "compute[1].capacity.shares[0].percent", ""),
        (mix((50, PLAN), (50, {"kind": "mix"})), {}, "compute[1].capacity.shares[1]", ""),
        (mix((50, PLAN), (50, {"kind": "sport"})), {}, "compute[1].capacity.shares[1]", ""),
        (mix((50, PLAN), (50, SPOT), fallback=["block"]), {}, "compute[1].capacity.fallback", ""),
        (mix((50, PLAN), (50, SPOT), backup=[]), {}, "compute[1].capacity", "`backup`"),
        ({"kind": "mix"}, {}, "compute[1].capacity", "`shares` is missing"),
        (
            mix((50, {**PLAN, "arn": "plan"}), (50, SPOT)), {},
            "compute[1].capacity.shares[0].capacity.arn", "",
        ),
    ],
)  # fmt: skip
def test_invalid_mix_is_refused_with_its_position(
    tmp_path: Path, capacity: dict[str, Any], group: dict[str, Any], path: str, message: str
) -> None:
    with pytest.raises(SpecErrors) as caught:
        specs.load(tmp_path, changes(capacity, **group))
    found = [problem.message for problem in caught.value.problems]
    assert any(text.startswith(path) and message in text for text in found), found
    assert all(problem.position for problem in caught.value.problems)


def test_name_collision_is_reported(tmp_path: Path) -> None:
    further = {"compute.2": {**specs.SMALL["compute"][1], "name": "workers-spot"}}
    capacity = mix((50, {"kind": "on-demand"}), (50, SPOT))
    with pytest.raises(SpecErrors, match="workers-spot"):
        specs.load(tmp_path, {**changes(capacity), **further})


@given(count=st.integers(0, 6758), cuts=st.sets(st.integers(1, 99), max_size=4))
def test_shares_are_integers_that_add_up(count: int, cuts: set[int]) -> None:
    bounds = [0, *sorted(cuts), 100]
    percents = [after - before for before, after in itertools.pairwise(bounds)]
    counts = _counts(count, percents)
    assert sum(counts) == count
    assert all(found >= 0 for found in counts)
    for found, percent in zip(counts, percents, strict=True):
        assert abs(found - count * percent / 100) <= 1
