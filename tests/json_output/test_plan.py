"""The JSON output of plan."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal

import pytest

from clusterwright.catalog import load_catalog
from clusterwright.cost.bill_extras import Exchange
from clusterwright.json_output.plan import plan_json, serving_json
from clusterwright.sizing import models
from clusterwright.sizing.report_types import PlanReport
from clusterwright.sizing.serving import plan_serving
from tests.support.plan_reports import plan_report


@pytest.fixture(scope="module")
def report() -> PlanReport:
    return plan_report(region="us-east-1")


def test_the_estimate_and_its_candidates(report: PlanReport) -> None:
    answer = json.loads(plan_json(report))
    assert (answer["command"], answer["exit_code"], answer["region"]) == ("plan", 0, "us-east-1")
    assert answer["model"]["params"] == report.plan.shape.params
    assert answer["estimate"]["nodes"] == report.plan.estimate.nodes
    assert len(answer["candidates"]) == len(report.plan.candidates)
    assert len(answer["offers"]) == len(report.priced) + len(report.unpriced)


def test_numbers_have_six_significant_digits(report: PlanReport) -> None:
    days = json.loads(plan_json(report))["estimate"]["days"]
    assert all(value == float(f"{value:.6g}") for value in days.values())


def test_only_options_add_fields(report: PlanReport) -> None:
    assert not {"explained", "exchange"} & json.loads(plan_json(report)).keys()
    assert json.loads(plan_json(report, explain=True))["explained"]


def test_a_second_currency(report: PlanReport) -> None:
    yen = Exchange("JPY", Decimal(150), dt.date(2026, 11, 18), 2)
    found = json.loads(plan_json(report, exchange=yen))["exchange"]
    assert (found["currency"], found["rate"], found["date"]) == ("JPY", 150, "2026-11-18")
    usd = report.plan.estimate.usd
    assert (found["amount"] is None) == (usd is None)


def test_replicas_that_serve_a_model() -> None:
    serving = plan_serving(
        models.model("llama3-70b"),
        load_catalog(),
        precision="bf16",
        sequences=1,
        seq_len=4096,
        types=["p5.48xlarge"],
    )
    answer = json.loads(serving_json(serving))
    assert (answer["command"], answer["kind"]) == ("plan", "inference")
    (replica,) = answer["serving"]["replicas"]
    assert replica["instance_type"] == "p5.48xlarge"
    assert replica["accelerators"] == serving.replicas[0].accelerators
    assert replica["infeasible"] is None
