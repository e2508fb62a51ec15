"""Floors: sourced, interpolated, never extrapolated."""

from __future__ import annotations

import dataclasses
import json
import math
from pathlib import Path

import pytest
from clusterwright_acceptance import floors, registry
from clusterwright_acceptance.expected import Expected, FileSystem, SizedFloor
from hypothesis import given
from hypothesis import strategies as st

from tests.nodes.acceptance.fake_node import EXPECTED

CURVE = next(row for row in floors.table()["network_allreduce"] if row["type"] == "p5.48xlarge")


def of(instance_type: str, kind: str = "nvidia", **changes: object) -> Expected:
    return dataclasses.replace(
        EXPECTED,
        instance_type=instance_type,
        kind=kind,
        **changes,  # type: ignore[arg-type]
    )


@pytest.mark.parametrize(
    ("instance_type", "value", "size"),
    [
        ("p4d.24xlarge", 228.0, 4096),
        ("p5.48xlarge", 452.2, 16384),
        ("p5e.48xlarge", 451.25, 4096),
        ("p5en.48xlarge", 451.25, 4096),
        ("p6-b200.48xlarge", None, 4096),
        ("p5.4xlarge", None, 4096),
    ],
)
def test_nvlink_allreduce(instance_type: str, value: float | None, size: int) -> None:
    found, mib = floors.nvlink_allreduce(of(instance_type))
    assert (found.value, mib) == (None if value is None else pytest.approx(value), size)
    assert found.source


def test_host_copy() -> None:
    assert floors.host_copy(of("p5.48xlarge")).value == 52
    missing = floors.host_copy(of("p6-b200.48xlarge"))
    assert missing == floors.Floor(None, "no measurement of B200 was found")


def test_measured_points_are_085_of_the_reference() -> None:
    for size, values in CURVE["sizes_mib"].items():
        for nodes, value in zip(CURVE["nodes"], values, strict=True):
            found = floors.allreduce(of("p5.48xlarge"), nodes, float(size))
            assert found.value == pytest.approx(0.85 * value)
            assert "crazyguitar" in found.source


def test_between_points_it_is_linear_in_the_logarithms() -> None:
    found = floors.allreduce(of("p5.48xlarge"), 2, math.sqrt(128 * 256))
    assert found.value == pytest.approx(0.85 * (305 + 364) / 2)
    found = floors.allreduce(of("p5.48xlarge"), 3, 128)
    share = math.log(3 / 2) / math.log(2)
    assert found.value == pytest.approx(0.85 * (305 + share * (229 - 305)))


@given(st.integers(2, 32), st.floats(128, 8192))
def test_interpolated_floor_is_between_the_measured_ones(nodes: int, size: float) -> None:
    found = floors.allreduce(of("p5.48xlarge"), nodes, size).value
    assert found is not None
    assert 0.85 * 116 - 1e-9 <= found <= 0.85 * 478 + 1e-9


@pytest.mark.parametrize(
    ("instance_type", "nodes", "size"),
    [
        ("p5.48xlarge", 33, 8192),
        ("p5.48xlarge", 1, 8192),
        ("p5.48xlarge", 8, 8193),
        ("p5.48xlarge", 8, 127),
        ("p5en.48xlarge", 8, 16384),
        ("p6-b200.48xlarge", 2, 1024),
    ],
)
def test_outside_of_the_measurements_nothing_is_known(
    instance_type: str, nodes: int, size: float
) -> None:
    found = floors.allreduce(of(instance_type), nodes, size)
    assert found.value is None
    assert found.source.startswith("measured with ")
    assert found.source.endswith(f", not with {nodes} and {size:g}")


def test_type_with_the_same_interfaces_says_so() -> None:
    found = floors.allreduce(of("p5e.48xlarge"), 2, 1024)
    assert found.value == pytest.approx(0.85 * 435)
    assert found.source.startswith("as p5.48xlarge (the same interfaces, not measured itself): ")


def test_type_without_a_measurement_is_unknown() -> None:
    found = floors.allreduce(of("p6e-gb200.36xlarge"), 2, 1024)
    assert found.source == "no measurement of p6e-gb200.36xlarge over several nodes was found"


def test_pairs_with_the_ring_algorithm() -> None:
    assert floors.pair_ring(of("p5.48xlarge")).value == pytest.approx(8 * 46 * 0.85)
    assert floors.pair_ring(of("p4d.24xlarge")).value == pytest.approx(46 * 0.85)
    for other in (
        of("p6-b300.48xlarge"),
        of("trn1.32xlarge", "neuron"),
        of("g5.xlarge", efa=False),
    ):
        assert floors.pair_ring(other).value is None


def test_users_own_floor_replaces_every_other() -> None:
    mine = of(
        "p6-b200.48xlarge",
        floors={
            "nvlink-allreduce": 600.0,
            "pairs": 1.0,
            "cluster-allreduce": 2.0,
            "host-copy": 3.0,
        },
    )
    source = "the floors of the spec"
    assert floors.nvlink_allreduce(mine)[0] == floors.Floor(600.0, source)
    assert floors.pair_ring(mine) == floors.Floor(1.0, source)
    assert floors.allreduce(mine, 1000, 1) == floors.Floor(2.0, source)
    assert floors.host_copy(mine) == floors.Floor(3.0, source)


def test_no_floor_is_above_the_networks_ceiling() -> None:
    """Of more than two nodes: with two, NCCL's tree halves what crosses the network."""
    for row in floors.table()["network_allreduce"]:
        ceiling = of(row["type"]).type.network_gbps
        if ceiling is None:
            continue
        for values in row["sizes_mib"].values():
            for nodes, value in zip(row["nodes"], values, strict=True):
                assert nodes == 2 or 0.85 * value <= ceiling / 8


@pytest.mark.parametrize(
    ("nodes", "client", "value"),
    [
        (1, 3200.0, 0.8 * 500 * 37.5),
        (1, 100.0, 0.8 * 12_500),
        (2, 100.0, 0.8 * 500 * 37.5),
        (1, None, 0.8 * 500 * 37.5),
    ],
)
def test_lustre_is_limited_by_the_tier_or_the_clients(
    nodes: int, client: float | None, value: float
) -> None:
    found = floors.lustre_write(FileSystem("/fsx", None, None, 38400, 500), nodes, client)
    assert found.value == pytest.approx(value)


def test_lustre_of_others_is_unknown() -> None:
    assert floors.lustre_write(FileSystem("/fsx"), 1, 100.0).value is None


def test_lustre_baselines_are_the_catalogues() -> None:
    root = Path(__file__).parents[3]
    tiers = json.loads((root / "clusterwright/catalog/data/lustre.json").read_text())["tiers"]
    known = {
        str(tier["throughput"]): tier["network_baseline"]
        for tier in tiers
        if tier["deployment_type"] == "PERSISTENT_2" and "network_baseline" in tier
    }
    assert floors.table()["lustre_network_baseline_mbps_per_tib"] == known


def test_every_figure_has_a_source() -> None:
    content = floors.table()
    tables = {key for key, value in content.items() if isinstance(value, list)}
    assert tables == {"nvlink_allreduce", "host_copy", "network_allreduce"}
    for key in tables:
        for row in content[key]:
            assert row["source"]
    for row in content["network_allreduce"]:
        assert all(len(values) == len(row["nodes"]) for values in row["sizes_mib"].values())


def test_a_floor_of_a_size_and_a_node_count_is_before_that_of_all() -> None:
    name = "cluster-allreduce"
    mine = of(
        "p5.48xlarge",
        floors={name: 1.0},
        sized_floors=(
            SizedFloor(name, 2.0, node_count=8),
            SizedFloor(name, 3.0, size_mib=1024),
            SizedFloor(name, 4.0, size_mib=1024, node_count=8),
        ),
    )
    found = {
        (nodes, mib): floors.allreduce(mine, nodes, mib).value
        for nodes in (4, 8)
        for mib in (512, 1024)
    }
    assert found == {(4, 512): 1.0, (8, 512): 2.0, (4, 1024): 3.0, (8, 1024): 4.0}


def test_every_check_with_a_floor_of_the_users_own_exists() -> None:
    assert set(floors.OWN_UNITS) <= {check.id for check in registry.checks()}
