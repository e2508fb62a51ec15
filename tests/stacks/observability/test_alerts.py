"""Alert rules, the alert manager, and who may publish."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from clusterwright.alerts.manager import manager_definition
from clusterwright.alerts.rule_file import rule_file
from clusterwright.alerts.watched import watched
from clusterwright.catalog import load_catalog
from clusterwright.platforms.alerting import has_alert_rules
from clusterwright.platforms.loading import load_cluster
from clusterwright_localaws import local_aws
from stacks.observability import alerts
from tests.alerts.promtool_tests import with_promtool
from tests.stacks.deployment import Account
from tests.stacks.templates import only, text_of
from tests.support import specs
from tests.support.command_line import clusterwright
from tests.support.rich_specs import ACCOUNT, EKS, FULL, HYPERPOD_EKS, PARALLELCLUSTER, changed
from tests.support.synthesis import Build
from tools.setup import promtool
from tools.setup.command import run

RULES = "AWS::APS::RuleGroupsNamespace"


def parsed(text: str) -> Any:
    return YAML(typ="safe").load(text)


def manager(assembly: Any) -> Any:
    """The alert manager's configuration; the topic is `TOPIC` there."""
    parts = only(assembly, "AWS::APS::Workspace")["AlertManagerDefinition"]["Fn::Join"][1]
    text = "".join(part if isinstance(part, str) else "TOPIC" for part in parts)
    assert list(parsed(text)) == ["alertmanager_config"]
    return parsed(parsed(text)["alertmanager_config"])


def test_rules_are_those_that_render_alerts_prints(build: Build, tmp_path: Path) -> None:
    path = specs.write(tmp_path / "spec.yaml", FULL)
    printed = parsed(
        clusterwright("render", "alerts", str(path)).out.replace(str(path), path.name)
    )
    rules = only(build(FULL), RULES)
    assert parsed(rules["Data"]) == printed
    assert printed["groups"]
    assert rules["Name"] == "alerts"
    assert "Prometheus" in text_of(rules["Workspace"])


@with_promtool
def test_promtool_accepts_the_rules(build: Build, tmp_path: Path) -> None:
    file = tmp_path / "rules.yaml"
    file.write_text(only(build(FULL), RULES)["Data"])
    assert "SUCCESS" in run([promtool.program(), "check", "rules", file], doing="checking")


def test_severities_have_their_own_receivers_and_intervals(build: Build) -> None:
    found = manager(build(FULL))
    assert found["route"]["receiver"] == "warning"
    [critical] = found["route"]["routes"]
    assert (critical["receiver"], critical["matchers"]) == ("critical", ['severity="critical"'])
    assert (critical["repeat_interval"], found["route"]["repeat_interval"]) == ("1h", "12h")
    for receiver in found["receivers"]:
        [config] = receiver["sns_configs"]
        assert (config["topic_arn"], config["sigv4"]) == ("TOPIC", {"region": "us-east-1"})
        assert config["send_resolved"]
        assert f" {receiver['name']}: " in config["subject"]
    assert {receiver["name"] for receiver in found["receivers"]} == {"critical", "warning"}


def test_only_the_workspace_may_publish_its_alerts(build: Build) -> None:
    assembly = build(FULL)
    statements = only(assembly, "AWS::SNS::TopicPolicy")["PolicyDocument"]["Statement"]
    [found] = [each for each in statements if each.get("Sid") == "AlertsOfTheWorkspace"]
    assert found["Principal"] == {"Service": "aps.amazonaws.com"}
    assert set(found["Action"]) == {"sns:Publish", "sns:GetTopicAttributes"}
    assert found["Condition"]["StringEquals"] == {"aws:SourceAccount": ACCOUNT}
    assert "Prometheus" in text_of(found["Condition"]["ArnLike"]["aws:SourceArn"])
    key = only(assembly, "AWS::KMS::Key")["KeyPolicy"]["Statement"]
    [use] = [each for each in key if each.get("Sid") == "AlertTopic"]
    assert use["Principal"] == {"Service": "aps.amazonaws.com"}
    assert use["Action"] == ["kms:Decrypt", "kms:GenerateDataKey*"]


@pytest.mark.parametrize(
    "spec",
    [
        changed(FULL, observability__alarm_emails=[]),
        changed(FULL, observability__prometheus=False, observability__grafana=None),
        changed(FULL, observability__metrics={"interval_seconds": 300}),
        HYPERPOD_EKS,
    ],
    ids=["nobody to notify", "no workspace", "rare samples", "add-on"],
)
def test_without_what_they_need_there_are_no_rules(spec: dict[str, Any], build: Build) -> None:
    assembly = build(spec)
    assert not assembly.resources(RULES)
    text = json.dumps(assembly.templates)
    assert "AlertManagerDefinition" not in text
    assert "aps.amazonaws.com" not in text.replace("scraper.aps.amazonaws.com", "")


@pytest.mark.parametrize("spec", [FULL, EKS, HYPERPOD_EKS, PARALLELCLUSTER])
def test_rules_are_deployed_where_there_are_any(spec: dict[str, Any], tmp_path: Path) -> None:
    loaded = load_cluster(specs.write(tmp_path / "spec.yaml", spec))
    rate = alerts._rate(loaded)
    found = rule_file(watched(loaded.cluster, load_catalog(), file="f", rate=rate))
    assert has_alert_rules(loaded.cluster) == bool(found.rules)


def test_prices_beside_the_spec_are_in_the_rules(tmp_path: Path) -> None:
    path = specs.write(tmp_path / "spec.yaml", FULL)
    (tmp_path / "prices.yaml").write_text(
        "rates: [{instance_type: p5.48xlarge, kind: KIND, region: us-east-1, usd: 12.34,"
        " unit: instance-hour, source: ours, date: 2026-11-01}]".replace("KIND", _kind(path))
    )
    assert "costs 12.34 USD per hour" in alerts.rules_text(load_cluster(path))


def test_the_local_aws_accepts_both(build: Build) -> None:
    assembly = build(FULL)
    with local_aws():
        amp = Account(ACCOUNT).client("amp")
        of = {"workspaceId": amp.create_workspace()["workspaceId"]}
        data = only(assembly, RULES)["Data"].encode()
        amp.create_rule_groups_namespace(**of, name="alerts", data=data)
        rules = amp.describe_rule_groups_namespace(**of, name="alerts")["ruleGroupsNamespace"]
        cluster = load_cluster(Path("configs/prod.yaml")).cluster
        text = manager_definition(
            cluster.environment, cluster.region, "arn:aws:sns:us-east-1:111122223333:alarms"
        )
        amp.create_alert_manager_definition(**of, data=text.encode())
        found = amp.describe_alert_manager_definition(**of)["alertManagerDefinition"]
    assert rules["status"] == found["status"] == {"statusCode": "ACTIVE"}


def _kind(path: Path) -> str:
    """How prices.yaml names the capacity of the compute group."""
    cluster = load_cluster(path).cluster
    [group] = [each for each in cluster.compute if each.instance_type == "p5.48xlarge"]
    return str(group.capacity.kind)
