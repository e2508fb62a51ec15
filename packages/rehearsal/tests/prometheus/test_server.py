"""The configuration of Prometheus and Alertmanager, and their answers."""

from __future__ import annotations

import json
from typing import Any

import pytest

from clusterwright_rehearsal.errors import RehearsalError
from clusterwright_rehearsal.prometheus import rendered, server
from clusterwright_rehearsal.prometheus.server import Monitoring


class Answers(Monitoring):
    """Answers of Prometheus by path."""

    def __init__(self, **answers: Any) -> None:
        self.answers = answers
        self.asked: list[str] = []

    def answer(self, port: int, path: str) -> str:
        self.asked.append(path)
        name = path.partition("?")[0].removeprefix("/api/v1/").replace("/", "_")
        return json.dumps({"status": "success", "data": self.answers[name]})


def test_the_routes_are_those_of_the_stacks_with_loopback_receivers() -> None:
    found = server.alertmanager_configuration(rendered.manager("dev", "us-east-1"))
    assert {each["name"] for each in found["receivers"]} == {"critical", "warning"}
    (critical,) = [each for each in found["receivers"] if each["name"] == "critical"]
    (hook,) = critical["webhook_configs"]
    assert hook["url"].endswith("/critical")
    assert hook["send_resolved"] is True
    assert found["route"]["group_wait"] == "1000ms"
    assert "sns" not in json.dumps(found)


def test_alerts_that_fire_now_and_that_have_fired() -> None:
    monitoring = Answers(
        alerts={
            "alerts": [
                {"state": "firing", "labels": {"alertname": "A"}},
                {"state": "pending", "labels": {"alertname": "B"}},
            ]
        },
        query={"result": [{"metric": {"alertname": "C"}, "value": [0, "1"]}]},
    )
    assert monitoring.firing() == {"A"}
    assert monitoring.fired() == {"C"}


def test_a_rule_that_cannot_be_evaluated_is_named() -> None:
    rules = [{"name": "A", "health": "ok"}, {"name": "B", "health": "err", "lastError": "many"}]
    assert Answers(rules={"groups": [{"rules": rules}]}).unhealthy_rules() == ["B: many"]


def test_nan_is_no_data() -> None:
    monitoring = Answers(query={"result": []})
    assert monitoring.query("a / b") == []
    assert "%3E%3D+-Inf" in monitoring.asked[0]


def test_an_error_of_prometheus_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monitoring = Answers()
    answer = json.dumps({"status": "error", "error": "parse error"})
    monkeypatch.setattr(monitoring, "answer", lambda *_: answer)
    with pytest.raises(RehearsalError, match="parse error"):
        monitoring.query("(")
