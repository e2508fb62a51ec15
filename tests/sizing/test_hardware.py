"""Named accelerators."""

from __future__ import annotations
import datetime as dt
import itertools
import math
from typing import Any
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from clusterwright.catalog import load_catalog
from clusterwright.sizing import hf_config
from clusterwright.sizing.errors import GoalError
from clusterwright.sizing.estimate import plan
from clusterwright.sizing.goal import parse
from clusterwright.sizing.models import model_names
from clusterwright.sizing.plan_types import Plan
from clusterwright.sizing.sweep import plan_anywhere, smallest_in_time, sweep


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
def test_every_accelerator_of_the_contract_is_taken(name: str) -> None:
    found = planned(model="llama3-8b", tokens="1T", cluster=on(name))
    assert found.estimate.days.p50 > 0
    assert found.chosen.hardware.accelerator == name
    assert any("assumed: nodes of" in text for text in found.warnings)
