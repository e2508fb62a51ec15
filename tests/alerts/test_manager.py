"""The definition of the alert manager."""

from __future__ import annotations

from typing import Any

from ruamel.yaml import YAML

from clusterwright.alerts.manager import manager_definition

_TOPIC = "arn:aws:sns:us-east-1:111122223333:alarms"


def _configuration() -> dict[str, Any]:
    reader = YAML(typ="safe")
    found = reader.load(manager_definition("prod", "us-east-1", _TOPIC))
    configuration: dict[str, Any] = reader.load(found["alertmanager_config"])
    return configuration


def test_severities_have_a_receiver_each() -> None:
    configuration = _configuration()
    names = [receiver["name"] for receiver in configuration["receivers"]]
    assert names == ["critical", "warning"]
    (route,) = configuration["route"]["routes"]
    assert (route["matchers"], route["receiver"]) == (['severity="critical"'], "critical")
    assert configuration["route"]["receiver"] == "warning"


def test_receivers_publish_to_the_topic_with_the_state_in_the_subject() -> None:
    for receiver in _configuration()["receivers"]:
        (sns,) = receiver["sns_configs"]
        assert sns["topic_arn"] == _TOPIC
        assert sns["sigv4"] == {"region": "us-east-1"}
        assert sns["send_resolved"] is True
        assert sns["subject"] == (
            "{{ .Status }} " + receiver["name"] + ": {{ .GroupLabels.alertname }} prod"
        )
