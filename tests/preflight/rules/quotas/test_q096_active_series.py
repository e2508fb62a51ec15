"""Tests of CW-Q096."""

from __future__ import annotations

from typing import Any

from clusterwright.aws.quotas import QuotaValue
from clusterwright.catalog import load_catalog
from clusterwright.monitoring.series import active_series
from clusterwright.preflight.facts.account import NamedQuotas
from tests.preflight.harness import Harness
from tests.support import specs

WORKSPACE: dict[str, Any] = {"observability": {"prometheus": True}}


def _quotas(*named: tuple[str, float]) -> dict[Any, Any]:
    return {
        NamedQuotas("aps", "active series"): tuple(
            QuotaValue("aps", f"L-{index}", name, value, "None", True, True)
            for index, (name, value) in enumerate(named)
        )
    }


def test_series_of_all_nodes_against_the_workspaces_limit(rule: Harness) -> None:
    cluster = specs.load(rule.folder, WORKSPACE).cluster
    series = active_series(cluster, load_catalog())
    assert series is not None
    others = ("Active series per metric name per workspace", 7.0)
    name = "Active series per workspace"
    rule.fails(
        "CW-Q096",
        WORKSPACE,
        _quotas((name, series - 1.0), others),
        path="observability.prometheus",
        message=f"{series:,} series of all nodes exceed '{name}': {series - 1:,} in us-east-1; a "
        "node of workers has ",
        numbers=(series, None, series - 1.0),
    )
    rule.passes("CW-Q096", WORKSPACE, _quotas((name, float(series)), others))


def test_without_a_workspace_nothing_is_checked(rule: Harness) -> None:
    rule.passes("CW-Q096", tested=False)


# A p5.48xlarge has about 3,400 series.
LARGE: dict[str, Any] = {
    **WORKSPACE,
    "compute": [
        {"name": "controller", "role": "controller", "instance_type": "m5.2xlarge", "count": 1},
        {"name": "workers", "role": "compute", "instance_type": "p5.48xlarge", "count": 4000},
    ],
}


def test_a_quota_that_is_not_listed_is_unknown_above_the_documented_default(
    rule: Harness,
) -> None:
    rule.unsure(
        "CW-Q096",
        LARGE,
        _quotas(),
        path="observability.prometheus",
        message="Service Quotas has no single quota of aps named 'active series' (found: none)",
    )


def test_series_within_the_documented_default_need_no_answer(rule: Harness) -> None:
    rule.passes("CW-Q096", WORKSPACE, _quotas())
