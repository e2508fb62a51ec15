"""What `render` prints for a cluster, as Prometheus, Alertmanager and Grafana receive it."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest

from clusterwright.monitoring.metrics import metrics
from clusterwright.monitoring.promql import uses
from clusterwright_rehearsal.errors import RehearsalError
from clusterwright_rehearsal.prometheus import not_shown, rendered
from clusterwright_rehearsal.scenarios import alerts
from packages.rehearsal.tests.conftest import ROOT

DEV = ROOT / "configs" / "dev.yaml"
END = dt.datetime(2026, 12, 24, 11, 30, tzinfo=dt.UTC)


def test_rules_of_the_rehearsed_cluster_have_every_alert_of_the_scenario() -> None:
    found = rendered.severities(rendered.rules(DEV, END))
    assert found.keys() >= alerts.FIRED
    assert found.keys() <= alerts.FIRED | not_shown.ALERTS.keys()
    assert set(found.values()) == {"critical", "warning"}


def test_panel_queries_have_no_variables_and_listed_panels_exist(tmp_path: Path) -> None:
    queries = rendered.panel_queries(DEV, tmp_path, "dev")
    assert len(queries) > 100
    assert not [query for query in queries if "$" in query.expression]
    assert not_shown.PANELS.keys() <= {query.panel for query in queries}
    # The scenario may leave out only what has no samples of emulated nodes.
    of_hardware = {
        query.panel
        for query in queries
        if any(metrics()[use.metric].hardware_only for use in uses(query.expression))
    }
    assert not of_hardware & not_shown.PANELS.keys()


def test_the_manager_is_that_of_the_stacks() -> None:
    found = rendered.manager("dev", "us-east-1")
    assert {each["name"] for each in found["receivers"]} == {"critical", "warning"}
    assert found["route"]["routes"][0]["matchers"] == ['severity="critical"']


def test_a_spec_that_cannot_be_rendered_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(RehearsalError, match="render alerts: "):
        rendered.rules(tmp_path / "missing.yaml", END)
