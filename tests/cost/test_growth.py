"""The cost with every group at its max_count."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal
from pathlib import Path
from typing import Any

from clusterwright.catalog import load_catalog
from clusterwright.cost.bill import HOURS_PER_MONTH, Bill
from clusterwright.cost.estimate import estimate
from clusterwright.platforms.loading import load_cluster
from tests.support.command_line import clusterwright
from tests.support.rich_specs import EKS_KARPENTER, EKS_MINIMAL, changed

TODAY = dt.date(2026, 11, 20)
TWO_GROUPS = {**EKS_KARPENTER, "compute": EKS_KARPENTER["compute"][:2]}


def bill_of(spec: dict[str, Any], folder: Path) -> Bill:
    path = folder / "spec.yaml"
    path.write_text(json.dumps(spec))
    return estimate(load_cluster(path).cluster, load_catalog(), today=TODAY)


def node(bill: Bill) -> Decimal:
    """The rate of a p5.48xlarge on demand, as in today's bill."""
    (line,) = [x for x in bill.lines if x.group == "workers" and x.component == "compute"]
    assert line.unit_price_usd is not None
    return line.unit_price_usd


def test_fixed_size_cluster_has_no_maximum_cost(tmp_path: Path) -> None:
    assert bill_of(EKS_MINIMAL, tmp_path).growth is None
    full = changed(TWO_GROUPS, compute__1__count=4, kubernetes={})
    assert bill_of(full, tmp_path).growth is None


def test_every_node_and_its_volume_is_counted(tmp_path: Path) -> None:
    bill = bill_of(TWO_GROUPS, tmp_path)
    assert bill.growth is not None
    assert bill.growth.groups == ("workers",)
    alone = bill_of(changed(TWO_GROUPS, compute__1__count=4, kubernetes={}), tmp_path)
    more = bill.growth.total.hourly_usd - bill.total.hourly_usd
    # Three nodes with their volumes.
    volumes = more - 3 * node(bill)
    assert 0 < volumes < 1
    assert bill.growth.total.monthly_usd == bill.growth.total.hourly_usd * HOURS_PER_MONTH
    # As for a group with these nodes from the start, except for the cost of Karpenter.
    assert abs(bill.growth.total.hourly_usd - alone.total.hourly_usd) < Decimal("0.1")


def test_group_with_zero_nodes_is_priced_at_its_maximum(tmp_path: Path) -> None:
    bill = bill_of(EKS_KARPENTER, tmp_path)
    assert bill.growth is not None
    assert bill.growth.groups == ("workers", "block")
    (block,) = [line for line in bill.lines if line.group == "block"]
    assert (block.quantity, block.hourly_usd, block.known) == (0, 0, True)
    assert "nothing is charged; up to 2 may be added" in (block.note or "")
    # A block is prepaid, at a price that the user states.
    assert bill.growth.total.unknown_lines > bill.total.unknown_lines


def test_both_totals_are_shown(tmp_path: Path) -> None:
    path = tmp_path / "spec.yaml"
    path.write_text(json.dumps(EKS_KARPENTER))
    text = clusterwright("cost", path)
    assert (text.exit_code, text.err) == (0, "")
    assert "with workers, block at max_count:" in text.out
    answer = json.loads(clusterwright("cost", path, "--format", "json").out)
    assert answer["growth"]["groups"] == ["workers", "block"]
    assert answer["growth"]["hourly_usd"] > answer["total"]["hourly_usd"]
    assert answer["growth"]["at_least"] is True
