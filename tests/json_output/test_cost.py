"""The JSON output of cost."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

from clusterwright.cluster_spec.problems import Position
from clusterwright.cost.bill import Bill, Gate, Line
from clusterwright.json_output.cost import cost_json


def line(**changes: Any) -> Line:
    values: dict[str, Any] = {
        "component": "compute",
        "item": "workers: ml.p5.48xlarge, on-demand",
        "quantity": Decimal(2),
        "unit": "instance-hour",
        "per": "hour",
        "unit_price_usd": Decimal("66.048"),
        "source": "AWS Pricing API",
        "date": "2026-10-04",
        "path": "compute[1].count",
    }
    return Line(**{**values, **changes})


UNPRICED = line(
    component="identity",
    item="KMS key",
    quantity=Decimal(1),
    unit="key-month",
    per="month",
    unit_price_usd=None,
    source=None,
    date=None,
    reason="no price of kms key in us-east-1 is in any source",
    rate="{service: kms, item: key}",
)


BY_USE = line(
    component="objects",
    item="S3 | storage",
    quantity=None,
    unit="GB-month",
    per="month",
    unit_price_usd=Decimal("0.023"),
    source="golden",
    date="2024-07-01",
    stale=True,
    reason="the quantity depends on use",
)


BILL = Bill("prod", "us-east-1", "hyperpod-slurm", Decimal("2160.0"), (line(), UNPRICED, BY_USE))


GATE = Gate(
    "budget.monthly_usd",
    Position("prod.yaml", 3, 16, 4, "  monthly_usd: 1000"),
    Decimal(1000),
    Decimal("96430.08"),
    "fail",
    "a month costs at least 96,430.08 USD, the budget is 1,000.00 USD",
)


def test_json_has_the_keys_of_the_contract() -> None:
    answer = json.loads(cost_json(BILL, [GATE], 1))
    assert (answer["schema_version"], answer["command"], answer["exit_code"]) == (1, "cost", 1)
    contract = {
        "component", "item", "quantity", "unit", "unit_price_usd", "hourly_usd", "monthly_usd",
        "source", "date",
    }  # fmt: skip
    assert all(contract <= entry.keys() for entry in answer["lines"])
    assert answer["total"] == {
        "hourly_usd": 132.096,
        "monthly_usd": 96430.08,
        "run_usd": 285327.36,
        "at_least": True,
        "unknown_lines": 2,
    }
    known, unpriced, by_use = answer["lines"]
    assert (known["quantity"], known["monthly_usd"]) == (2, 96430.08)
    assert (unpriced["unit_price_usd"], unpriced["monthly_usd"]) == (None, None)
    assert "lower bound" in unpriced["effect"]
    assert (by_use["quantity"], by_use["unit_price_usd"], by_use["stale"]) == (None, 0.023, True)
    assert answer["gates"][0]["status"] == "fail"
