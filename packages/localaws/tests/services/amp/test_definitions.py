"""What is wrong with rules files and alert manager definitions."""

from __future__ import annotations

import pytest

from clusterwright_localaws.services.amp.definitions import alert_manager_fault, rules_fault

_RULE = "{alert: a, expr: up == 0, for: 5m, labels: {severity: critical}}"
_SNS = "{topic_arn: t, sigv4: {region: us-east-1}}"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (f"groups: [{{name: g, interval: 1m, rules: [{_RULE}]}}]", None),
        ("groups: [", "the rules file is not YAML: while parsing"),
        ("groups: {}", "`groups` is not a list"),
        ("other: []", "no list `groups`"),
        ("groups: [], other: []", "not YAML"),
        ("groups: [{rules: []}]", "a group has no name"),
        ("groups: [{name: g, rules: []}, {name: g, rules: []}]", "two groups have the same name"),
        ("groups: [{name: g}]", "group g: `rules` is not a list"),
        ("groups: [{name: g, every: 1m, rules: []}]", "group g: unknown keys every"),
        ("groups: [{name: g, interval: soon, rules: []}]", "interval is not a duration"),
        (f"groups: [{{name: {'g' * 720}, rules: []}}]", "more than 721 bytes"),
        ("groups: [{name: g, rules: [{expr: up}]}]", "rule 1: it needs either"),
        ("groups: [{name: g, rules: [{alert: a, record: r, expr: up}]}]", "it needs either"),
        ("groups: [{name: g, rules: [{alert: a, expr: up, for: x}]}]", "for is not a duration"),
        ("groups: [{name: g, rules: [{alert: a, expr: up, when: x}]}]", "unknown keys when"),
        ("groups: [{name: g, rules: [{alert: a, expr: up, labels: {n: 1}}]}]", "labels is not"),
    ],
)
def test_rules(text: str, reason: str | None) -> None:
    found = rules_fault("rules", text.encode())
    assert found is None if reason is None else reason in str(found)


def sns(config: str) -> str:
    return f"{{route: {{receiver: a}}, receivers: [{{name: a, sns_configs: [{config}]}}]}}"


def manager(config: str) -> bytes:
    return f"alertmanager_config: |\n  {config}\n".encode()


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (manager(sns(_SNS)), None),
        (b"alertmanager_config: {}", "no text `alertmanager_config`"),
        (b"\xff", "the definition is not YAML"),
        (manager("[") , "alertmanager_config is not YAML"),
        (manager("{}"), "no route with a receiver"),
        (b"more: 1\n" + manager("{}"), "unknown keys: more"),
        (manager("{route: {receiver: a}, receivers: []}"), "receiver a does not exist"),
        (
            manager("{route: {receiver: a, routes: [{receiver: b}]}, receivers: [{name: a}]}"),
            "receiver b does not exist",
        ),
        (
            manager("{route: {receiver: a}, receivers: [{name: a}, {name: a}]}"),
            "two receivers have the same name",
        ),
        (
            manager("{route: {receiver: a}, receivers: [{name: a, email_configs: []}]}"),
            "receiver a: email_configs is not supported",
        ),
        (
            manager(sns("{topic_arn: t}")),
            "receiver a: sigv4 has no region",
        ),
        (
            manager(sns("{topic_arn: t, sigv4: {region: r}, api_url: u}")),
            "receiver a: api_url is not allowed",
        ),
        (
            manager(sns("{sigv4: {region: r}}")),
            "receiver a: no topic_arn",
        ),
    ],
)  # fmt: skip
def test_alert_managers(data: bytes, reason: str | None) -> None:
    found = alert_manager_fault(data)
    assert found is None if reason is None else reason in str(found)
