"""Framework support on Trainium."""

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
    ("accelerator", "model", "support", "says"),
    [
        ("Trn1", "llama3.1-8b", "none", "known: AWS published"),
        ("Trn1", "qwen3-32b", "none", "unknown"),
        ("Trn2", "llama3.1-8b", "beta", "unknown"),
    ],
)
def test_trainium_frameworks_are_known_or_unknown(
    accelerator: str, model: str, support: str, says: str
) -> None:
    found = planned(model=model, tokens="100B", cluster=on(accelerator, 256)).chosen.frameworks
    nxd, titan = found
    assert (nxd.support, titan.support) == ("ended", support)
    assert nxd.model.startswith(says)
    assert titan.model.startswith("unknown")
    assert planned(model=model, tokens="100B", cluster=on("H100", 64)).chosen.frameworks == ()
