"""The step that configures metrics shipping to the Prometheus workspace."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from clusterwright_node import cloudwatch_agent

from tests.nodes.world import World

AGENT = "opt/clusterwright/etc/clusterwright-metrics.json"
SCRAPE = "opt/clusterwright/etc/clusterwright-prometheus.yaml"


def test_agent_scrapes_this_node_and_writes_to_the_workspace(
    world: Callable[..., World],
) -> None:
    node = world("workers-1")
    run = node.run()
    assert run.statuses()["metrics_shipping"] == "applied"
    metrics = json.loads((node.root / AGENT).read_text())["metrics"]
    assert metrics["metrics_destinations"] == {
        "cloudwatch": {},
        "amp": {"workspace_id": "ws-0123abcd-4567-89ab-cdef-0123456789ab"},
    }
    path = metrics["metrics_collected"]["prometheus"]["prometheus_config_path"]
    assert path == f"/{SCRAPE}"
    scrape = json.loads((node.root / SCRAPE).read_text())
    assert scrape["global"]["scrape_interval"] == "60s"
    target = scrape["scrape_configs"][0]["static_configs"][0]
    assert target["targets"] == ["10.1.0.31:9177"]
    assert target["labels"]["node"] == "workers-1"
    assert target["labels"]["cluster"] == "prod"
    told = [argv for argv in run.machine.ran if argv[0] == cloudwatch_agent.CTL]
    assert [argv[-1] for argv in told] == [
        "file:/opt/clusterwright/etc/clusterwright-logs.json",
        f"file:/{AGENT}",
    ]
    again = node.run()
    assert again.statuses()["metrics_shipping"] == "unchanged"
    assert not any(argv[0] == cloudwatch_agent.CTL for argv in again.machine.ran)


@pytest.mark.parametrize("name", ["controller-1", "login-1", "workers-1"])
def test_no_samples_of_a_node_pass_through_another(world: Callable[..., World], name: str) -> None:
    """So the loss of the controller leaves a gap of its own metrics, and loses no sample."""
    node = world(name)
    node.run()
    scrape = json.loads((node.root / SCRAPE).read_text())
    (job,) = scrape["scrape_configs"]
    (static,) = job["static_configs"]
    others = {"remote_write", "remote_read", "rule_files", "alerting"}
    assert not others & set(scrape), "the workspace has the rules, and the agent writes to it"
    assert static["labels"]["node"] == name
    assert static["targets"] == [f"{node.state['address']}:9177"]
    agent = json.loads((node.root / AGENT).read_text())["metrics"]
    assert set(agent["metrics_destinations"]) == {"cloudwatch", "amp"}


def test_changed_workspace_is_configured(world: Callable[..., World]) -> None:
    node = world("login-1")
    node.run()
    node.edit("deployment.json", lambda value: value.update(prometheus_workspace_id="ws-other"))
    assert node.run().statuses()["metrics_shipping"] == "applied"
    assert "ws-other" in (node.root / AGENT).read_text()


def test_agent_is_not_configured_without_a_workspace(world: Callable[..., World]) -> None:
    node = world("login-1")
    node.edit("deployment.json", lambda value: value.pop("prometheus_workspace_id"))
    assert node.run().statuses()["metrics_shipping"] == "skipped"
    assert not (node.root / AGENT).exists()


def test_missing_agent_is_reported(world: Callable[..., World]) -> None:
    node = world("login-1")
    (node.root / cloudwatch_agent.CTL.lstrip("/")).unlink()
    run = node.run()
    assert run.statuses()["metrics_shipping"] == "unchanged"
    assert any("not sent" in text for text in run.notices())


def test_error_of_an_older_agent_is_reported_and_not_retried(
    world: Callable[..., World],
) -> None:
    node = world("login-1", agent_error="Configuration validation first phase failed")
    run = node.run()
    assert run.code == 0
    assert run.statuses()["metrics_shipping"] == "applied"
    again = node.run()
    assert not any(argv[0] == cloudwatch_agent.CTL for argv in again.machine.ran)
    assert any("does not send the metrics" in text for text in again.notices())
