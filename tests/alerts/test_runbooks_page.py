"""The runbooks."""

from __future__ import annotations

from clusterwright.alerts.registry import all_alerts
from clusterwright.alerts.runbooks_page import page


def test_every_alert_has_a_runbook_with_commands_and_steps() -> None:
    sections = {part.partition("\n")[0]: part for part in page().split("\n### ")[1:]}
    assert set(sections) == {alert.name for alert in all_alerts()}
    for alert in all_alerts():
        section = sections[alert.name]
        assert section.count("\nclusterwright ") == len(alert.commands) >= 1
        assert f"\n{len(alert.steps)}. " in section
        assert alert.reason in section


def test_labels_are_shown_as_words_to_replace() -> None:
    assert "\nclusterwright diagnose configs/prod.yaml node NODE\n" in page()
    assert "{{" not in page()
    assert "@" not in page()
