"""Lustre tiers, capacities and metadata."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clusterwright.catalog import Known, LustreTier, Unknown, load_catalog

LUSTRE = load_catalog().lustre
SIZED = [tier for tier in LUSTRE.tiers if tier.step_gib]


def tier(deployment: str, storage: str = "SSD", throughput: int | None = None) -> LustreTier:
    found = LUSTRE.tier(deployment, storage, throughput)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("deployment", "storage", "values"),
    [
        ("PERSISTENT_2", "SSD", (125, 250, 500, 1000)),
        ("PERSISTENT_1", "SSD", (50, 100, 200)),
        ("PERSISTENT_1", "HDD", (12, 40)),
        ("SCRATCH_2", "SSD", ()),
        ("PERSISTENT_9", "SSD", ()),
    ],
)
def test_throughput_values_are_listed(
    deployment: str, storage: str, values: tuple[int, ...]
) -> None:
    assert LUSTRE.throughput_values(deployment, storage) == values


def test_unsupported_combination_is_refused() -> None:
    assert LUSTRE.tier("PERSISTENT_2", "SSD", 130) is None
    assert LUSTRE.tier("PERSISTENT_2", "HDD", 12) is None
    assert LUSTRE.tier("PERSISTENT_2") is None


@pytest.mark.parametrize(
    ("found", "valid", "invalid"),
    [
        (tier("SCRATCH_1"), [1200, 2400, 3600, 7200], [0, 600, 4800, 1201]),
        (tier("SCRATCH_2"), [1200, 2400, 4800, 7200], [3600, 6000, 1201]),
        (tier("PERSISTENT_2", throughput=500), [1200, 2400, 38400], [3600, 600, 2401]),
        (tier("PERSISTENT_1", "HDD", 12), [6000, 12000], [1200, 1800, 9000]),
        (tier("PERSISTENT_1", "HDD", 40), [1800, 3600], [1200, 6000]),
        (tier("PERSISTENT_2", "INTELLIGENT_TIERING"), [], [1200, 2400]),
    ],
)
def test_capacities_are_listed(found: LustreTier, valid: list[int], invalid: list[int]) -> None:
    assert all(found.is_valid_capacity(gib) for gib in valid)
    assert not any(found.is_valid_capacity(gib) for gib in invalid)


@pytest.mark.parametrize(
    ("throughput", "step"), [(125, 38400), (250, 19200), (500, 9600), (1000, 4800)]
)
def test_efa_capacities_are_multiples_of_object_servers(throughput: int, step: int) -> None:
    found = tier("PERSISTENT_2", throughput=throughput)
    assert found.efa_step_gib == step
    assert found.is_valid_capacity(step, efa=True)
    assert found.is_valid_capacity(3 * step, efa=True)
    assert not found.is_valid_capacity(step - 2400, efa=True)
    assert not found.is_valid_capacity(step + 2400, efa=True)
    assert found.nearest_capacities(step - 1, efa=True) == (None, step)


def test_tiers_without_efa_have_no_efa_capacities() -> None:
    assert not tier("SCRATCH_2").is_valid_capacity(2400, efa=True)
    assert tier("SCRATCH_2").nearest_capacities(2400, efa=True) == (None, None)


@given(st.sampled_from(SIZED), st.integers(min_value=0, max_value=2_000_000), st.booleans())
def test_nearest_capacities_are_valid_and_adjacent(found: LustreTier, gib: int, efa: bool) -> None:
    below, above = found.nearest_capacities(gib, efa=efa)
    for near in (below, above):
        assert near is None or found.is_valid_capacity(near, efa=efa)
    if above is not None:
        assert above >= gib
        start = gib if below is None else below + 1
        between = range(max(start, above - 200), above)
        assert not any(found.is_valid_capacity(c, efa=efa) for c in between if c >= gib)
    if found.is_valid_capacity(gib, efa=efa):
        assert below == above == gib


@pytest.mark.parametrize(
    ("capacity", "iops", "derived"),
    [
        (1200, 1500, False),
        (2400, 3000, False),
        (4800, 6000, False),
        (9600, 6000, False),
        (12000, 12000, False),
        (45600, 12000, False),
        (48000, 24000, False),
        (72000, 36000, False),
        (50400, 24000, True),
    ],
)
def test_automatic_metadata_iops_follow_the_capacity(
    capacity: int, iops: int, derived: bool
) -> None:
    fact = LUSTRE.automatic_metadata_iops(capacity)
    assert isinstance(fact, Known)
    assert (fact.value, fact.derived) == (iops, derived)


def test_too_small_capacity_has_no_metadata_iops() -> None:
    assert isinstance(LUSTRE.automatic_metadata_iops(600), Unknown)


def test_metadata_iops_are_validated() -> None:
    values = LUSTRE.metadata_iops_values
    assert values[:5] == (1500, 3000, 6000, 12000, 24000)
    assert values[-1] == 192000
    assert len(values) == 19
    assert LUSTRE.tiering_metadata_iops_values == (6000, 12000)


def test_associations() -> None:
    assert LUSTRE.associations_max == 8
    assert LUSTRE.association_events == ("NEW", "CHANGED", "DELETED")
    refused = {(t.deployment_type, t.storage_type) for t in LUSTRE.tiers if not t.associations}
    assert refused == {("SCRATCH_1", "SSD"), ("PERSISTENT_2", "INTELLIGENT_TIERING")}


def test_clients_zones_and_ports_are_known() -> None:
    assert "p5.48xlarge" in LUSTRE.gpudirect_storage_types
    assert LUSTRE.efa_client_refused_families == {"trn2"}
    assert "us-east-1-dfw-2a" in LUSTRE.local_zone_rule.zones
    assert not LUSTRE.local_zone_rule.efa
    assert LUSTRE.ports == ("988", "1018-1023")
    assert LUSTRE.source("metadata")[1] == "2026-11-17"


def test_uncollected_network_figures_are_unknown() -> None:
    assert isinstance(tier("PERSISTENT_1", throughput=50).network_baseline_mbps_per_tib, Unknown)
    baseline = tier("PERSISTENT_2", throughput=1000).network_baseline_mbps_per_tib
    assert isinstance(baseline, Known)
    assert baseline.value == 2600


@pytest.mark.parametrize(
    ("throughput", "capacity", "settings", "least", "most"),
    [
        # Documented: the EFA step is one object server, 12,000 metadata IOPS one metadata server.
        (500, 38_400, {"efa": True, "metadata_iops": 24_000}, 4 + 2, 4 + 2),
        (125, 4_800, {}, 1 + 1, 1 + 2),
        (1000, 48_000, {}, 1 + 10, 2 + 20),
        (None, 0, {"tiering_mbps": 8_000, "metadata_iops": 6_000}, 2 + 1, 2 + 1),
    ],
)
def test_server_count_is_estimated(
    throughput: int | None, capacity: int, settings: dict[str, Any], least: int, most: int
) -> None:
    known = LUSTRE.tier("PERSISTENT_2", "SSD", throughput)
    found = LUSTRE.servers(known, capacity_gib=capacity, **settings)
    assert (found.least, found.most) == (least, most)


@given(st.integers(1, 400_000), st.booleans(), st.sampled_from([125, 250, 500, 1000]))
def test_minimum_does_not_exceed_maximum(capacity: int, efa: bool, mbps: int) -> None:
    known = tier("PERSISTENT_2", "SSD", mbps)
    found = LUSTRE.servers(known, capacity_gib=capacity, efa=efa)
    assert 2 <= found.least <= found.most
