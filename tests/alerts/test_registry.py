"""Every alert has its tests, its metrics and its runbook; rule files are valid."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from clusterwright.alerts.alert import Alert, Need, filled
from clusterwright.alerts.registry import all_alerts
from clusterwright.alerts.rule_file import RUNBOOKS
from clusterwright.monitoring.metrics import metrics
from clusterwright.monitoring.promql import uses
from tests.alerts import promtool_tests
from tests.alerts.cases import CASES, PHASES
from tests.alerts.watched_clusters import SPECS, rules_of
from tools.setup import promtool

_PLACEHOLDERS = ("CLUSTER", "GROUP", "COUNT", "NODES", "MOUNT", "COMPUTE", "EFA", "END", "LAST")
_PLACEHOLDERS += ("RATE", "SILENT", "TYPE")

SOURCES_OF: dict[Need, set[str]] = {
    "exporter": {"host", "scrape", "target"},
    "slurm": {"slurm", "training", "acceptance"},
    "health": {"ours"},
    "fixed": set(),
    "nvidia": {"nvidia"},
    "dcgm": {"nvidia", "nccl"},
    "neuron": {"neuron"},
    "efa": {"efa"},
    "lustre": {"lustre"},
    "collector": {"containers", "kubernetes-apiservers"},
    "capacity-end": set(),
}
"""The sources of metrics that a spec has if it has what an alert needs."""


@pytest.mark.parametrize("alert", all_alerts(), ids=lambda alert: alert.name)
def test_every_metric_is_of_an_exporter_that_the_alert_needs(alert: Alert) -> None:
    expression = filled(alert.expression, dict.fromkeys(_PLACEHOLDERS, "1"))
    used = uses(expression)
    allowed = set().union(*(SOURCES_OF[need] for need in alert.needs))
    for use in used:
        metric = metrics()[use.metric]
        assert metric.source in allowed, f"{use.metric} is of {metric.source}"
        assert set(use.labels) <= metric.all_labels
        assert "cluster" in use.labels, "another cluster in the workspace would be included"
    assert used or alert.needs == ("capacity-end",)


def test_names_are_unique_and_other_alerts_exist() -> None:
    names = [alert.name for alert in all_alerts()]
    assert len(set(names)) == len(names)
    assert len({alert.anchor for alert in all_alerts()}) == len(names)
    for alert in all_alerts():
        assert alert.without_data in {"itself", "none", *names} - {alert.name}
        assert (alert.without_data == "none") == bool(alert.reason_without_data)


def test_each_runbook_exists() -> None:
    page = Path(RUNBOOKS).read_text(encoding="utf-8")
    anchors = {line[4:].lower() for line in page.splitlines() if line.startswith("### ")}
    for name in SPECS:
        for rule in rules_of(name).rules:
            address, _, anchor = rule["annotations"]["runbook_url"].partition("#")
            assert address == RUNBOOKS
            assert anchor in anchors
    assert anchors == {alert.anchor for alert in all_alerts()}


def test_no_alert_lacks_a_case() -> None:
    assert set(CASES) == {alert.name for alert in all_alerts()}


@pytest.mark.parametrize("name", sorted(CASES))
def test_each_alert_is_tested_in_four_ways(name: str) -> None:
    alert = next(alert for alert in all_alerts() if alert.name == name)
    first, *_ = CASES[name]
    assert first.expected.get("fires"), "it never fires"
    assert not first.expected.get("below"), "it fires below its threshold"
    assert not first.expected.get("clears"), "it does not clear"
    # Without data either the alert itself fires, or another one that it names.
    fires_itself = bool(first.expected.get("absent"))
    if alert.without_data == "itself":
        assert fires_itself
    assert set(first.expected) <= set(PHASES)
    compared = dict(promtool_tests.minutes(first, alert.for_minutes))
    assert len(compared) >= len(PHASES)


@promtool_tests.with_promtool
def test_a_wrong_expectation_is_noticed(tmp_path: Path) -> None:
    (path,) = promtool_tests.write(tmp_path, "GpuMissing", CASES["GpuMissing"])
    document = json.loads(path.read_text())
    fires = document["tests"][0]["alert_rule_test"][1]
    fires["exp_alerts"] = []
    path.write_text(json.dumps(document))
    assert promtool_tests.run([path]).returncode == 1


@promtool_tests.with_promtool
@pytest.mark.parametrize("name", sorted(SPECS))
def test_rule_files_are_valid(name: str, tmp_path: Path) -> None:
    path = tmp_path / "rules.json"
    path.write_text(json.dumps(rules_of(name).content))
    result = subprocess.run(
        [str(promtool.program()), "check", "rules", "--lint=all", "--lint-fatal", str(path)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    assert f"{len(rules_of(name).rules)} rules found" in result.stdout
