"""Configurations that are appended to the image's CloudWatch agent."""

from __future__ import annotations

import json

from clusterwright_node import cloudwatch_agent as agent

from tests.nodes.stub_node import stub_node

ANSWER = "/var/lib/clusterwright/log-shipping.json"


def test_a_configuration_is_appended_once() -> None:
    node = stub_node({agent.CTL: ""}, {agent.CTL: ""})
    assert agent.is_there(node)
    assert agent.lacks(node, "logs", "{}") == f"{agent.path_of('logs')} is outdated"
    agent.tell(node, "logs", "{}")
    assert agent.lacks(node, "logs", "{}") is None
    assert agent.refusal(node, "logs", "{}") == ""
    (line,) = node.machine.ran
    assert line.endswith("-s -c file:/opt/clusterwright/etc/clusterwright-logs.json")


def test_a_refused_configuration_is_not_appended_again() -> None:
    node = stub_node({agent.CTL: (1, "invalid\n  JSON")})
    agent.tell(node, "logs", "{}")
    assert agent.lacks(node, "logs", "{}") is None
    assert "invalid JSON" in agent.refusal(node, "logs", "{}")
    assert agent.lacks(node, "logs", "{ }") is not None
    assert agent.refusal(node, "logs", "{ }") == ""


def test_a_file_that_the_agent_does_not_know() -> None:
    node = stub_node({}, {agent.path_of("logs"): "{}"})
    assert (
        agent.lacks(node, "logs", "{}")
        == "the CloudWatch agent does not have the configuration yet"
    )
    for text in ("[]", "{", json.dumps({"sha256": "other", "error": ""})):
        node.machine.files[ANSWER] = text
        assert (
            agent.lacks(node, "logs", "{}")
            == "the CloudWatch agent does not have the configuration yet"
        )
