"""The reference page of alerts."""

from __future__ import annotations

from clusterwright.alerts.reference_page import RUNBOOKS, page
from clusterwright.alerts.registry import FAMILIES, all_alerts


def test_every_alert_has_one_row() -> None:
    lines = page().splitlines()
    for alert in all_alerts():
        [row] = [line for line in lines if line.startswith(f"| [{alert.name}]")]
        assert f"]({RUNBOOKS}#{alert.anchor}) | {alert.severity} |" in row


def test_families_are_sections_in_order() -> None:
    assert [line[4:] for line in page().splitlines() if line.startswith("### ")] == list(FAMILIES)
