"""What a level takes and costs."""

from __future__ import annotations

import datetime as dt
import json
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from clusterwright.catalog import load_catalog
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_state.requests import Level
from clusterwright.cost.rates import HourlyRate
from clusterwright.operate.acceptance import LEVELS, lustre_figures, plan, planned_seconds
from clusterwright.operate.acceptance_results import GroupPlan
from clusterwright.operate.cost_now import NodeRates
from clusterwright.platforms.acceptance_checks import table
from clusterwright.platforms.loading import load_cluster
from tests.support.rich_specs import MINIMAL, changed

TODAY = dt.date(2026, 11, 23)


def spec(tmp_path: Path, **changes: Any) -> Cluster:
    path = tmp_path / "test.yaml"
    path.write_text(json.dumps(changed(MINIMAL, **changes)))
    return load_cluster(path).cluster


class Rates(NodeRates):
    """36 USD per hour for every instance, or no price."""

    usd: Decimal | None = Decimal(36)

    def rate(self, instance_type: str, kind: str) -> HourlyRate:
        reason = None if self.usd is not None else "no source states it"
        return replace(super().rate(instance_type, kind), usd_per_hour=self.usd, reason=reason)


def planned(
    tmp_path: Path, usd: Decimal | None = Decimal(36), counts: dict[str, int] | None = None
) -> tuple[GroupPlan, ...]:
    cluster, catalog = spec(tmp_path), load_catalog()
    rates = Rates(cluster, catalog, today=TODAY)
    rates.usd = usd
    return plan(cluster, catalog, rates, "standard", counts)


def test_the_price_is_nodes_times_planned_seconds(tmp_path: Path) -> None:
    seconds = planned_seconds("standard", "nvidia", efa=True)
    (group,) = planned(tmp_path)
    assert (group.group, group.nodes, group.seconds) == ("workers", 4, seconds)
    # One cent for each second of an instance.
    assert group.cost_usd == Decimal(4 * seconds) / 100
    (group,) = planned(tmp_path, counts={"workers": 100, "controller": 1})
    assert group.cost_usd == Decimal(100 * seconds) / 100


def test_an_unknown_price_is_unknown(tmp_path: Path) -> None:
    (group,) = planned(tmp_path, usd=None)
    assert (group.cost_usd, group.unpriced) == (None, "no source states it")


def test_groups_without_nodes_are_not_planned(tmp_path: Path) -> None:
    assert planned(tmp_path, counts={"controller": 1}) == ()


@pytest.mark.parametrize("kind", ["nvidia", "neuron", "none"])
def test_each_level_takes_longer_and_is_within_its_limit(kind: str) -> None:
    seconds = [planned_seconds(level, kind, efa=True) for level in LEVELS]
    assert seconds == sorted(seconds)
    limits: dict[Level, int] = table()["level_limit_seconds"]
    assert all(own <= limits[level] for level, own in zip(LEVELS, seconds, strict=True))


def test_nodes_without_efa_take_less() -> None:
    with_efa = planned_seconds("standard", "nvidia", efa=True)
    assert planned_seconds("standard", "nvidia", efa=False) < with_efa


def test_every_check_applies_to_some_kind() -> None:
    assert all(check["kinds"] for check in table()["checks"])


def test_the_floor_of_lustre_has_its_figures(tmp_path: Path) -> None:
    lustre = [{"mount_path": "/fsx", "capacity_gib": 4800, "throughput_mbps_per_tib": 500}]
    assert lustre_figures(spec(tmp_path, storage__lustre=lustre)) == {"/fsx": (4800, 500)}
    assert lustre_figures(spec(tmp_path)) == {}
