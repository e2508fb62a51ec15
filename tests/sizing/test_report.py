"""The plan report: storage, ramp, owned hardware."""

from __future__ import annotations

import datetime as dt

import pytest

from clusterwright.catalog import load_catalog
from clusterwright.sizing.goal import ClusterGoal, parse
from clusterwright.sizing.ownership import Owned
from clusterwright.sizing.report import Questions, build_report
from clusterwright.sizing.report_types import PlanReport
from tests.support.plan_reports import DAY, plan_report


def test_storage_is_sized_for_the_checkpoints_of_the_model(east: PlanReport) -> None:
    storage = east.storage
    assert storage is not None
    assert storage.checkpoint_bytes == pytest.approx(14 * east.plan.shape.params)
    assert storage.dataset_bytes == pytest.approx(4 * 15e12)


def test_only_adapters_are_saved_with_lora() -> None:
    found = build_report(
        parse(
            {
                "model": "llama3-70b",
                "tokens": "1B",
                "kind": "lora",
                "cluster": {"instance_type": "p5.48xlarge", "nodes": 1},
            }
        ),
        load_catalog(),
        today=DAY,
    )
    assert found.storage is not None
    assert found.storage.checkpoint_bytes < 0.05 * 14 * found.plan.shape.params
    assert found.launch is None


def test_ramp_ends_with_the_run(east: PlanReport) -> None:
    found = plan_report(
        Questions(ramp_steps=(8, 64), starts=dt.date(2027, 3, 1)), region="us-east-1"
    )
    assert [one.nodes for one in found.phases[:-1]] == [8, 64]
    assert found.phases[0].starts == dt.date(2027, 3, 1)
    assert all(one.usd is not None for one in found.phases)
    assert east.phases == ()


def test_owned_hardware_is_compared_with_the_chosen_cluster() -> None:
    owned = Owned(purchase=2e8, watts=5e6, tariff_per_kwh=0.08, cooling=1.2)
    found = plan_report(Questions(owned=owned), region="us-east-1")
    assert found.owned is not None
    assert found.owned.cheaper == "owned"
    assert found.owned_run is None
    nowhere = plan_report(Questions(owned=owned), region="sa-east-1")
    assert nowhere.owned is None
    assert any("buy or rent" in text for text in nowhere.unknown)


def test_named_hardware_is_compared_with_the_rent_of_the_same_run() -> None:
    """Half as fast for the same run: an hour of it replaces half the rent."""
    owned = Owned(purchase=2e8, watts=5e6, tariff_per_kwh=0.08, cooling=1.2)
    mine = ClusterGoal.model_validate({"accelerator": "H100", "accelerators": 1024})
    found = plan_report(Questions(owned=owned, owned_cluster=mine), region="us-east-1")
    assert found.owned is not None
    assert found.owned_run is not None
    assert found.owned_run.days is not None
    assert found.plan.estimate.usd is not None
    hours = found.owned_run.days.p50 * 24
    rent = found.plan.estimate.usd.p50 / hours
    assert found.owned.rented_total == pytest.approx(rent * 3 * 8760)
    cards = ClusterGoal.model_validate({"accelerator": "RTX-A6000", "accelerators": 64})
    refused = plan_report(Questions(owned=owned, owned_cluster=cards), region="us-east-1")
    assert refused.owned is None
    assert any(
        "on the hardware you own" in text and "--network-gbps" in text for text in refused.unknown
    )
    slow = ClusterGoal.model_validate({"accelerator": "H100", "accelerators": 64})
    late = plan_report(Questions(owned=owned, owned_cluster=slow), region="us-east-1")
    assert late.owned is None
    assert any("days of their life" in text for text in late.unknown)


def test_report_is_deterministic(east: PlanReport) -> None:
    assert plan_report(region="us-east-1") == east
