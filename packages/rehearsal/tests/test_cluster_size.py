"""How a spec is made small enough for a machine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clusterwright.cluster_spec import LoadedSpec
from clusterwright.platforms.loading import load_cluster
from clusterwright_rehearsal import cluster_size
from clusterwright_rehearsal.errors import RehearsalError

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def large() -> LoadedSpec:
    return load_cluster(ROOT / "configs/examples/p5-64.yaml")


def _counts(data: dict[str, Any]) -> dict[str, int]:
    return {entry["name"]: entry["count"] for entry in data["compute"]}


def test_small_spec_is_not_reduced() -> None:
    spec = load_cluster(ROOT / "configs/dev.yaml")
    found = cluster_size.reduced(spec.cluster, spec.resolved(), 4)
    assert _counts(found.data) == {"controller": 1, "login": 1, "workers": 2}
    assert found.notes == ()


def test_only_compute_groups_are_reduced_with_a_note(large: LoadedSpec) -> None:
    found = cluster_size.reduced(large.cluster, large.resolved(), 6)
    assert sum(_counts(found.data).values()) == 6
    for group in large.cluster.compute:
        if group.role != "compute":
            assert _counts(found.data)[group.name] == group.count
        else:
            assert any(f"group {group.name}" in note for note in found.notes)


def test_spares_are_fewer_than_nodes(large: LoadedSpec) -> None:
    data = large.resolved()
    found = cluster_size.reduced(large.cluster, data, 4)
    for entry in found.data["compute"]:
        assert entry.get("spare_count", 0) < entry["count"]


def test_reduced_spec_is_valid(large: LoadedSpec, tmp_path: Path) -> None:
    found = cluster_size.reduced(large.cluster, large.resolved(), 6)
    path = cluster_size.write(found.data, tmp_path)
    again = load_cluster(path).cluster
    assert {g.name: g.count for g in again.compute} == _counts(found.data)
    assert again.storage == large.cluster.storage


def test_too_few_nodes_are_refused_with_the_minimum(large: LoadedSpec) -> None:
    with pytest.raises(RehearsalError) as error:
        cluster_size.reduced(large.cluster, large.resolved(), 1)
    least = int(str(error.value.hint).split()[1])
    assert cluster_size.reduced(large.cluster, large.resolved(), least).notes


@given(
    wanted=st.dictionaries(st.sampled_from("abcde"), st.integers(1, 2000), min_size=1),
    extra=st.integers(0, 500),
)
def test_group_sizes_are_positive_integers(wanted: dict[str, int], extra: int) -> None:
    room = len(wanted) + extra
    counts = cluster_size._proportional_counts(wanted, room)
    assert sum(counts.values()) == min(room, sum(wanted.values()))
    assert all(1 <= counts[name] <= wanted[name] for name in wanted)


def test_maximum_size_depends_on_the_machine() -> None:
    assert cluster_size.default_limit(processors=1, free_mib=100) == 4
    assert cluster_size.default_limit(processors=2, free_mib=64_000) == 16
    assert cluster_size.default_limit(processors=64, free_mib=4_400) == 20
