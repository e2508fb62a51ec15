"""The control plane of EKS."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from pathlib import Path

import pytest

from clusterwright.catalog import load_catalog
from clusterwright.cost.bill import Bill, Line
from clusterwright.cost.estimate import estimate
from tests.support import specs

TODAY = dt.date(2026, 11, 20)


def compute(bill: Bill) -> list[Line]:
    return [line for line in bill.lines if line.component == "compute"]


@pytest.mark.parametrize(
    ("platform", "lines"), [("hyperpod-eks", 1), ("eks", 1), ("hyperpod-slurm", 0)]
)
def test_platforms_on_eks_pay_for_the_control_plane(
    tmp_path: Path, platform: str, lines: int
) -> None:
    cluster = specs.unchecked(tmp_path, {"platform": platform}).cluster
    bill = estimate(cluster, load_catalog(), today=TODAY)
    found = [line for line in bill.lines if line.component == "kubernetes"]
    assert [line.hourly_usd for line in found] == [Decimal("0.1")] * lines
    compute = [line for line in bill.lines if line.component == "compute"]
    assert len({line.source for line in compute if line.group == "workers"}) == 1


@pytest.mark.parametrize(
    ("version", "support", "day", "rate", "words"),
    [
        ("1.35", "standard", "2026-11-20", "0.1", "on 2027-03-27 EKS upgrades 1.35 automatically"),
        ("1.34", "extended", "2026-11-20", "0.1", "from 2026-12-02, the rate of extended"),
        ("1.34", "extended", "2026-12-02", "0.6", "the standard support of 1.34 ended on"),
        ("1.32", "extended", "2026-11-20", "0.6", "the standard support of 1.32 ended on"),
        ("1.99", "standard", "2026-11-20", "0.1", "no source states the end"),
    ],
)
def test_control_plane_has_the_rate_of_its_support(
    tmp_path: Path, version: str, support: str, day: str, rate: str, words: str
) -> None:
    kubernetes = {"version": version, "support": support}
    spec = {"platform": "eks", "kubernetes": kubernetes}
    cluster = specs.unchecked(tmp_path, spec).cluster
    bill = estimate(cluster, load_catalog(), today=dt.date.fromisoformat(day))
    (line,) = [line for line in bill.lines if line.component == "kubernetes"]
    assert line.hourly_usd == Decimal(rate)
    assert words in line.note
