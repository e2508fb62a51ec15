"""Storage of a run: published arithmetic, FSx's sizes, and limits."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clusterwright.catalog import load_catalog
from clusterwright.sizing import hardware, storage
from clusterwright.sizing.errors import GoalError
from clusterwright.sizing.storage import StoragePlan, plan_storage

CATALOG = load_catalog()
P5 = hardware.of_instance_type("p5.48xlarge", CATALOG)


def _plan(**changes: object) -> StoragePlan:
    values: dict[str, object] = {
        "params": 70e9,
        "data_bytes": 6e13,
        "nodes": 256,
        "hardware": P5,
        "mtti_hours": 24.7,
        "catalog": CATALOG,
        "region": "us-east-1",
        **changes,
    }
    return plan_storage(**values)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("params", "tbytes"), [(8e9, 0.112), (70e9, 0.98), (405e9, 5.67), (671e9, 9.394)]
)
def test_full_state_has_14_bytes_per_parameter(params: float, tbytes: float) -> None:
    found = _plan(params=params)
    assert found.checkpoint_bytes == pytest.approx(tbytes * 1e12)
    assert found.weights_bytes == 2 * params


def test_blocked_share_follows_young_for_the_longest_write() -> None:
    found = _plan(drained=False)
    assert found.mode == "blocking"
    # 2 o^2 M with o = 10 % and M = 24.7 h: 1,778 s; Young: sqrt(2 w M) = ten times as long.
    assert found.blocking_seconds == pytest.approx(0.02 * 24.7 * 3600)
    assert found.interval_seconds == pytest.approx(10 * found.blocking_seconds)
    assert found.blocked_share == pytest.approx(0.10)


def test_drain_has_the_interval_minus_the_blocked_time() -> None:
    found = _plan(mtti_hours=200.0)
    assert found.mode == "drained"
    seconds = 70e9 * 14 / (found.drain_gbytes_per_s * 1e9)
    assert seconds == pytest.approx(0.9 * found.interval_seconds)
    # 256 nodes of 8 disks at 1 GB/s: 980 GB in 0.479 s; Young of it.
    assert found.blocking_seconds == pytest.approx(980 / 2048)
    assert found.interval_seconds == pytest.approx((2 * 980 / 2048 * 200 * 3600) ** 0.5)


def test_bandwidth_sizes_of_the_examples() -> None:
    """70B in 60 s is 16.3 GB/s: 66 TiB at 250 MB/s/TiB, 17 TiB at 1,000 (before FSx's steps)."""
    mtti = 60 / 0.02 / 3600
    found = _plan(drained=False, mtti_hours=mtti, data_bytes=0.0)
    assert found.needed_gbytes_per_s == pytest.approx(16.33, abs=0.01)
    sizes = {
        one.throughput_mbps_per_tib: one.capacity_gib / 1024
        for one in (found.chosen, *found.others)
    }
    assert 65.3 <= sizes[250] <= 65.3 + 2.35
    assert 16.3 <= sizes[1000] <= 16.3 + 2.35


def test_token_has_two_or_four_bytes_and_epochs_reread() -> None:
    assert storage.dataset_bytes(1e12, 50_257) == 2e12
    assert storage.dataset_bytes(1e12, 128_256) == 4e12
    assert storage.dataset_bytes(4e12, 50_257, epochs=4) == 2e12


def test_region_without_prices_is_reported() -> None:
    found = _plan(region="sa-east-1")
    assert found.chosen.usd_per_month is None
    assert "sa-east-1" in found.chosen.price_note
    assert any("by its size" in text for text in found.warnings)


def test_price_is_catalogue_price_times_capacity() -> None:
    chosen = _plan().chosen
    assert chosen.throughput_mbps_per_tib == 125
    assert chosen.usd_per_month == pytest.approx(0.145 * chosen.capacity_gib)


def test_bandwidth_can_determine_the_size() -> None:
    found = _plan(params=671e9, nodes=128, mtti_hours=49.0, data_bytes=6e13)
    fastest_need = {one.throughput_mbps_per_tib: one for one in (found.chosen, *found.others)}
    assert fastest_need[125].governed_by == "bandwidth"
    assert fastest_need[1000].governed_by == "capacity"


def test_type_without_nvme_saves_to_lustre() -> None:
    bare = hardware.of_accelerator("H800", CATALOG)
    assert _plan(hardware=bare).mode == "blocking"
    with pytest.raises(GoalError, match="no local NVMe"):
        _plan(hardware=bare, drained=True)


def test_state_that_exceeds_the_disks_is_refused() -> None:
    with pytest.raises(GoalError, match="do not fit"):
        _plan(params=5e12, nodes=1)


@given(
    params=st.floats(1e8, 2e12),
    nodes=st.integers(8, 4096),
    mtti_hours=st.floats(0.5, 2000),
    data=st.floats(0, 5e14),
    drained=st.booleans(),
)
def test_chosen_storage_meets_every_need_and_is_valid_for_fsx(
    params: float, nodes: int, mtti_hours: float, data: float, drained: bool
) -> None:
    try:
        found = _plan(
            params=params, nodes=nodes, mtti_hours=mtti_hours, data_bytes=data, drained=drained
        )
    except GoalError:
        return
    for choice in (found.chosen, *found.others):
        tier = CATALOG.lustre.tier("PERSISTENT_2", "SSD", choice.throughput_mbps_per_tib)
        assert tier is not None
        assert tier.is_valid_capacity(choice.capacity_gib, efa=choice.efa)
        assert choice.gbytes_per_s >= found.needed_gbytes_per_s * 0.999999
        assert choice.capacity_gib >= found.capacity_needed_gib
    assert found.blocked_share <= 1
    assert found.restart_seconds <= storage.RESTART_SECONDS * 1.000001
    if not found.chosen.efa:
        assert found.node_gbytes_per_s <= found.client_gbytes_per_s
    prices = [one.usd_per_month for one in (found.chosen, *found.others)]
    assert prices == sorted(prices, key=lambda usd: usd or 0.0)
