"""The watched cluster of the scenario `alerts`."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from clusterwright_rehearsal.prometheus.scene import Scene, targets
from clusterwright_rehearsal.scenario_api.outcomes import Broken
from packages.rehearsal.tests.scenario_api.contexts import context


def scene(found: Any, **monitoring: Any) -> Scene:
    return Scene(found, SimpleNamespace(**monitoring), {}, [], SimpleNamespace())  # type: ignore[arg-type]


def test_targets_have_the_labels_of_the_agents_samples(tmp_path: Path) -> None:
    metrics = SimpleNamespace(metrics=SimpleNamespace(port=9177))
    found = context(tmp_path, "controller-1", "workers-1", observability=metrics)
    assert targets(found)[1] == {
        "targets": ["10.0.0.6:9177"],
        "labels": {
            "cluster": "prod",
            "group": "workers",
            "instance_id": "i-6",
            "node": "workers-1",
        },
    }


def test_queries_are_put_until_they_have_data(tmp_path: Path) -> None:
    answers: dict[str, list[int]] = {"a": [1], "b": []}
    asked: list[str] = []

    def query(expression: str) -> list[int]:
        asked.append(expression)
        return answers[expression]

    found = scene(context(tmp_path), query=query)
    found.unanswered = {"panel": {"a", "b"}}
    found.ask_panels()
    assert found.unanswered == {"panel": {"b"}}
    asked.clear()
    answers["b"] = [2]
    found.ask_panels()
    assert asked == ["b"]
    assert found.unanswered == {"panel": set()}


def test_an_alert_that_does_not_fire_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("clusterwright_rehearsal.prometheus.scene._STAGE_S", 0.0)
    found = scene(context(tmp_path), fired=lambda: {"A"})
    found.wait_fired(frozenset({"A"}))
    with pytest.raises(Broken, match=r"did not fire: B$"):
        found.wait_fired(frozenset({"A", "B"}))


def test_nodes_of_the_scene(tmp_path: Path) -> None:
    found = scene(context(tmp_path))
    names = (found.first.name, found.second.name, found.login.name)
    assert names == ("workers-1", "workers-2", "login-1")
