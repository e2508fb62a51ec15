"""Whole bills as text, Markdown and JSON, compared with snapshots."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from syrupy.assertion import SnapshotAssertion

from clusterwright.catalog import load_catalog
from clusterwright.cluster_spec import LoadedSpec
from clusterwright.cluster_spec.document import parse_document
from clusterwright.cost.bill_extras import CostExtras
from clusterwright.cost.budget import gates
from clusterwright.cost.estimate import estimate
from clusterwright.cost.exchange import read_exchange
from clusterwright.cost.retiring import find_file_system, saving
from clusterwright.cost.user_prices import parse
from clusterwright.json_output.cost import cost_json
from clusterwright.platforms.loading import load_cluster
from clusterwright.render.bill import bill_markdown, bill_text
from tests.support import specs

ROOT = Path(__file__).parents[2]
TODAY = dt.date(2026, 11, 20)
MIXED: dict[str, Any] = {
    "compute.1.count": 16,
    "compute.1.spare_count": 1,
    "compute.1.capacity": {
        "kind": "mix",
        "shares": [
            {"percent": 75, "capacity": {"kind": "training-plan", "arn": specs.PLAN}},
            {"percent": 25, "capacity": {"kind": "spot"}},
        ],
        "fallback": ["on-demand"],
    },
    "slurm": {"configuration": "scripted"},
    "storage.lustre": [
        {"mount_path": "/scratch", "deployment_type": "SCRATCH_2", "capacity_gib": 2400}
    ],
    "run.hours": 480,
    "budget": {"monthly_usd": 400000, "run_usd": 900000},
}
AGREED = f"""\
rates:
  - {{instance_type: p5.48xlarge, kind: hyperpod-spot, region: us-east-1, usd: 20,
     unit: instance-hour, source: "spot of November", date: 2026-07-01}}
discounts:
  - {{service: "*", percent: 10, source: "private pricing", date: 2026-01-01}}
purchases:
  - {{id: "{specs.PLAN}", instances: 16, hours: 720, upfront_usd: 518400, start: 2026-12-01,
     end: 2026-12-31, source: "invoice 7", date: 2026-11-01}}
usage:
  logs/ingestion: {{per_node_hour: 0.02}}
"""


def rendered(
    spec: LoadedSpec, text: str, form: str, *, live: tuple[str, ...] | None = None
) -> str:
    own = parse(parse_document(text, "prices.yaml"))
    bill = estimate(
        spec.cluster,
        load_catalog(prices_override=own.rates),
        today=TODAY,
        usage=own.usage,
        terms=own.terms,
    )
    storage = find_file_system(spec.cluster, "/scratch")
    extras = CostExtras(
        exchange=read_exchange("JPY", "150.25@2026-07-01", today=TODAY),
        saving=None if storage is None else saving(bill, storage),
        live=live,
    )
    found = tuple(gates(spec, bill))
    if form == "json":
        return cost_json(bill, found, 2, extras=extras)
    if form == "markdown":
        return bill_markdown(bill, found, extras=extras)
    return bill_text(bill, found, extras=extras).replace(spec.file, "spec.yaml")


@pytest.mark.parametrize("form", ["text", "markdown", "json"])
def test_bill_of_a_mixed_group_with_agreements(
    tmp_path: Path, form: str, snapshot: SnapshotAssertion
) -> None:
    spec = specs.load(tmp_path, MIXED)
    text = rendered(spec, AGREED, form, live=("pricing GetProducts was denied",))
    assert text == snapshot


@pytest.mark.parametrize("name", ["p5-64", "trn2-1", "existing-network"])
def test_bill_of_an_example(name: str, snapshot: SnapshotAssertion) -> None:
    spec = load_cluster(ROOT / "configs" / "examples" / f"{name}.yaml")
    bill = estimate(spec.cluster, load_catalog(), today=TODAY)
    text = bill_text(bill, tuple(gates(spec, bill)))
    assert text.replace(f"{ROOT}/", "") == snapshot


def test_bill_without_prices_lists_every_line(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    """us-west-2 has no HyperPod rate of P5 in any source: no other rate is on the bill."""
    changes = {"region": "us-west-2", "network.availability_zone_id": "usw2-az2"}
    spec = specs.load(tmp_path, {**changes, "storage.lustre": [specs.LUSTRE]})
    bill = estimate(spec.cluster, load_catalog(), today=TODAY, run_hours=Decimal(10))
    assert bill_text(bill, ()) == snapshot
    assert bill.total.at_least
    instances = [line for line in bill.lines if line.component == "compute"]
    assert [line.hourly_usd for line in instances] == [None, None]
    assert bill.total.hourly_usd == sum(line.hourly_usd or 0 for line in bill.lines)


@pytest.mark.parametrize("form", ["with", "without"])
def test_json_matches_its_schema(tmp_path: Path, form: str) -> None:
    schema = json.loads((ROOT / "schema" / "cost-output.schema.json").read_text("utf-8"))
    spec = specs.load(tmp_path, MIXED)
    if form == "with":
        text = rendered(spec, AGREED, "json")
    else:
        bill = estimate(spec.cluster, load_catalog(), today=TODAY)
        text = cost_json(bill, (), 0)
    jsonschema.validate(json.loads(text), schema)
