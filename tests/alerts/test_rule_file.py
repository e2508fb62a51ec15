"""The rule file of a cluster."""

from __future__ import annotations

from clusterwright.alerts.registry import all_alerts
from clusterwright.alerts.rule_file import LeftOut, rule_file
from tests.alerts.watched_clusters import SLURM, SPECS, rules_of, watched_cluster
from tests.support.rich_specs import changed


def test_a_rule_has_all_that_the_receiver_needs() -> None:
    [rule] = [rule for rule in rules_of("slurm").rules if rule["alert"] == "GpuMissing"]
    assert rule == {
        "alert": "GpuMissing",
        "expr": 'min by (cluster, group, node) (gpu_count{cluster="test",group="workers"}) < 8',
        "for": "2m",
        "labels": {"severity": "critical", "group": "workers"},
        "annotations": {
            "summary": '{{ $labels.node }} shows {{ $value | printf "%.0f" }} of 8 GPUs',
            "description": "A GPU has fallen off the bus. Jobs that ask for whole nodes no longer "
            "start on it, and the running job fails. Fires at: fewer GPUs than the instance type "
            "has.",
            "cost": "Idle: the node; a node of workers costs 98.32 USD per hour.",
            "command": "clusterwright diagnose configs/test.yaml node {{ $labels.node }}\n"
            "clusterwright node replace configs/test.yaml {{ $labels.node }} --because GpuMissing",
            "runbook_url": "docs/how-to/answer-an-alert.md#gpumissing",
        },
    }


def test_every_rule_has_a_severity_a_command_and_a_runbook() -> None:
    for name in SPECS:
        for rule in rules_of(name).rules:
            assert rule["labels"]["severity"] in ("critical", "warning")
            assert {"summary", "description", "command", "runbook_url"} <= set(rule["annotations"])
            assert "@" not in str(rule).replace("@efa", "")


def test_every_alert_applies_to_a_spec() -> None:
    written = {rule["alert"] for name in SPECS for rule in rules_of(name).rules}
    assert written == {alert.name for alert in all_alerts()}


def test_every_alert_is_written_or_left_out_with_its_reason() -> None:
    for name in SPECS:
        found = rules_of(name)
        written = {rule["alert"] for rule in found.rules}
        left_out = {each.name for each in found.left_out}
        assert written | left_out == {alert.name for alert in all_alerts()}
        assert not written & left_out
    assert LeftOut("NeuronDeviceMissing", "Neuron devices") in rules_of("slurm").left_out


def test_idle_money_is_counted_without_spares() -> None:
    spec = changed(SLURM, compute__1__spare_count=1)
    for usd, limit in ((True, " * 98.32 > 98.32"), (False, " > 1")):
        watched = watched_cluster(spec) if usd else watched_cluster(spec, usd=None)
        [rule] = [rule for rule in rule_file(watched).rules if rule["alert"] == "GpusIdle"]
        assert rule["expr"].endswith(limit)


def test_each_mount_has_a_rule() -> None:
    second = {"mount_path": "/archive", "capacity_gib": 4800, "throughput_mbps_per_tib": 1000}
    spec = changed(SLURM, storage__lustre__1=second)
    rules = rule_file(watched_cluster(spec)).rules
    mounts = [r["labels"]["mountpoint"] for r in rules if r["alert"] == "LustreMountMissing"]
    assert mounts == ["/fsx", "/archive"]


def test_runbooks_can_be_elsewhere() -> None:
    found = rule_file(watched_cluster(SLURM), runbooks="https://docs.example.com/alerts.html")
    assert found.rules[0]["annotations"]["runbook_url"] == (
        "https://docs.example.com/alerts.html#nodesilent"
    )
