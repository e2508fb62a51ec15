"""Alerts on training jobs, in promtool: each fires, is quiet below, clears; no data."""

from __future__ import annotations

from pathlib import Path

from clusterwright.alerts.families.training import ALERTS
from tests.alerts import promtool_tests


@promtool_tests.with_promtool
def test_each_alert_does_what_it_says(tmp_path: Path) -> None:
    promtool_tests.check(tmp_path, ALERTS)
