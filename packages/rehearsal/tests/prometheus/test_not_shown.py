"""Every alert fires in the scenario, or is listed with the reason why emulated nodes cannot."""

from __future__ import annotations

from clusterwright.alerts.registry import all_alerts
from clusterwright_rehearsal.prometheus import not_shown
from clusterwright_rehearsal.scenarios import alerts


def test_every_alert_fires_or_is_listed() -> None:
    names = {alert.name for alert in all_alerts()}
    assert alerts.FIRED | not_shown.ALERTS.keys() == names
    assert not alerts.FIRED & not_shown.ALERTS.keys()


def test_alerts_of_the_host_are_listed() -> None:
    assert not_shown.ALERTS.keys() >= not_shown.OF_HOST
