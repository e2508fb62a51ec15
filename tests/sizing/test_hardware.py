"""Named accelerators."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from clusterwright.catalog import load_catalog
from clusterwright.sizing.estimate import plan
from clusterwright.sizing.goal import parse
from clusterwright.sizing.plan_types import Plan

CATALOG = load_catalog()


TODAY = dt.date(2026, 11, 21)


def planned(**goal: Any) -> Plan:
    return plan(parse(goal), CATALOG, today=TODAY)


def on(accelerator: str, count: int | None = None) -> dict[str, Any]:
    return {"accelerator": accelerator, "accelerators": count}


@pytest.mark.parametrize(
    "name",
    [
        "A100-40GB",
        "A100-80GB",
        "H100",
        "H200",
        "H800",
        "GH200",
        "B200",
        "B300",
        "GB200",
        "Trn1",
        "Trn2",
    ],
)
def test_every_named_accelerator_is_accepted(name: str) -> None:
    found = planned(model="llama3-8b", tokens="1T", cluster=on(name))
    assert found.estimate.days.p50 > 0
    assert found.chosen.hardware.accelerator == name
    assert any("assumed: nodes of" in text for text in found.warnings)
