"""Rules with shortened durations: everything that is a duration, and nothing else."""

from __future__ import annotations

import re

from clusterwright.alerts.registry import all_alerts
from clusterwright_rehearsal.prometheus.shortened_rules import (
    DIVISOR,
    shortened,
    shortened_duration,
    shortened_expression,
    shortened_route,
)

_DURATION = re.compile(r"(?:\[|offset )((?:\d+(?:ms|[smhdwy]))+|@[A-Z]+@)")


def _expressions() -> list[str]:
    """The expressions of all alerts, with windows and numbers in the place of placeholders."""
    found = []
    for alert in all_alerts():
        text = alert.expression.replace("@RATE@", "900s").replace("@SILENT@", "180s")
        found.append(re.sub(r"@[A-Z]+@", "7", text))
    return found


def test_every_range_and_offset_is_shortened() -> None:
    for expression in _expressions():
        before, after = (
            _DURATION.findall(expression),
            _DURATION.findall(shortened_expression(expression)),
        )
        assert after == [shortened_duration(each) for each in before]


def test_every_age_is_shortened_and_no_multiple() -> None:
    ages = multiples = 0
    for expression in _expressions():
        for text in re.findall(r"\(time\(\) - .+?\) > ([\d.]+ ?\*?)", expression):
            if text.endswith("*"):
                multiples += 1
                assert f"> {text}" in shortened_expression(expression)
            else:
                ages += 1
                assert f") > {int(text) / DIVISOR:g}" in shortened_expression(expression)
    assert ages >= 3
    assert multiples >= 2


def test_thresholds_and_the_time_of_day_stay() -> None:
    for expression in (
        "(vector(time()) >= 1795000000 - 86400) < 1795000000",
        'max by (cluster) (x{scheduler="backfill",group=~"p5m|a3d"}) > 30',
        "(1 - a / b) > 0.85 and c == 0",
    ):
        assert shortened_expression(expression) == expression


def test_a_rule_file_keeps_labels_and_texts() -> None:
    rule = {
        "alert": "A",
        "expr": "increase(x[15m]) > 0",
        "for": "30m",
        "labels": {"severity": "warning"},
        "annotations": {"description": "for 30m, see [15m]"},
    }
    once = {key: value for key, value in rule.items() if key != "for"}
    found = shortened({"groups": [{"name": "g", "interval": "1m", "rules": [rule, once]}]})
    (group,) = found["groups"]
    assert group["interval"] == "2000ms"
    assert group["rules"][0] == {**rule, "expr": "increase(x[30000ms]) > 0", "for": "60000ms"}
    assert "for" not in group["rules"][1]


def test_waits_of_routes_are_shortened_at_every_level() -> None:
    route = {
        "receiver": "warning",
        "group_wait": "30s",
        "routes": [{"receiver": "critical", "repeat_interval": "1h"}],
    }
    assert shortened_route(route) == {
        "receiver": "warning",
        "group_wait": "1000ms",
        "routes": [{"receiver": "critical", "repeat_interval": "120000ms"}],
    }


def test_durations_of_several_units() -> None:
    assert shortened_duration("1h30m") == "180000ms"
