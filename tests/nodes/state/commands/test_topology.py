"""`clusterwright topology` on a node."""

from __future__ import annotations

import json

import pytest

from clusterwright.json_output.topology import TopologyOutput
from tests.nodes.state.commands.conftest import Commands, slurm_node


def test_hyperpods_tree_is_compared_with_slurms(commands: Commands) -> None:
    places = {"workers-1": ("a", "x"), "workers-2": ("a", "y"), "workers-3": ("b", "y")}
    commands.nodes = [
        slurm_node(name, switch_path=["top", aws], slurm_switch_path=["root", slurm])
        for name, (aws, slurm) in places.items()
    ]
    job = {"id": "7", "name": "train", "user": "ada", "nodes": ["workers-1", "workers-3"]}
    commands.running = [{**job, "since": None}]
    found = commands.answer("topology")
    TopologyOutput.model_validate_json(json.dumps(found))
    assert set(found) == set(TopologyOutput.model_fields)
    assert [one["agrees"] for one in found["nodes"]] == ["no", "no", "no"]
    assert found["findings"][0]["code"] == "topology-differs"
    assert found["jobs"][0]["leaves"] == 2
    assert found["exit_code"] == 1
    assert found["network"][0] == {
        "id": "top", "layer": 1, "parent": None, "nodes": ["workers-1", "workers-2", "workers-3"],
    }  # fmt: skip
    assert "Running jobs" in commands.run("topology")[1]
    commands.running = [{**job, "nodes": None, "since": None}]
    found = commands.answer("topology")
    assert found["jobs"] == []
    assert [one["what"] for one in found["unknown"]] == ["the nodes of running jobs"]


def test_without_a_tree_of_aws_it_is_unknown(commands: Commands) -> None:
    commands.setting(platform="parallelcluster")
    found = commands.answer("topology")
    TopologyOutput.model_validate_json(json.dumps(found))
    assert found["exit_code"] == 2
    assert [one["agrees"] for one in found["nodes"]] == ["unknown", "unknown"]
    assert found["unknown"][0]["hint"] == "from a workstation: clusterwright topology FILE"


@pytest.mark.parametrize(
    ("topology", "plugin", "severities"),
    [
        ("tree", "topology/flat", ["warning"]),
        ("automatic", None, ["info"]),
        ("tree", "topology/block", []),
    ],
)
def test_slurm_without_a_tree_is_a_finding(
    commands: Commands, topology: str, plugin: str | None, severities: list[str]
) -> None:
    commands.setting(topology=topology)
    commands.plugin = plugin
    commands.nodes = [slurm_node(f"workers-{at}", switch_path=["top", str(at)]) for at in (1, 2)]
    found = commands.answer("topology")["findings"]
    assert [one["severity"] for one in found] == severities
    if found:
        assert found[0]["code"] == "slurm-without-topology"
        assert "below 2 network nodes" in found[0]["message"]
        assert f"(TopologyPlugin {plugin or 'unknown'})" in found[0]["message"]
