"""The text and the JSON of `topology`."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema

from clusterwright.cluster_state.published import (
    RunningConfiguration,
    RunningJob,
    SchedulerView,
)
from clusterwright.json_output.schemas import schemas
from clusterwright.json_output.topology import topology_json
from clusterwright.operate.results import TopologyReport
from clusterwright.operate.topology import topology_report
from clusterwright.render.topology import topology_text
from tests.operate.clusters import cluster_state, in_slurm, load, published

PATHS = {1: ("top", "spine", "leaf-1"), 2: ("top", "spine", "leaf-2"), 3: None, 4: None}


def made(folder: Path) -> TopologyReport:
    spec = load(folder)
    nodes = [in_slurm(i, switch_path=path, slurm_switch_path=path) for i, path in PATHS.items()]
    job = RunningJob(id="7", name="train", user="ada", nodes=("ip-workers-1", "ip-workers-2"))
    tree = RunningConfiguration(slurm_conf={"TopologyPlugin": "topology/tree"})
    view = SchedulerView(published(nodes, running=(job,), configuration=tree), None)
    return topology_report(
        spec.cluster, cluster_state(spec, scheduler=view), None, file="test.yaml"
    )


def test_text(tmp_path: Path) -> None:
    assert topology_text(made(tmp_path)) == (
        "test: hyperpod-slurm, account 111122223333, us-east-1, 2026-11-23 08:00 UTC\n"
        "\n"
        "Network\n"
        "  top  2 nodes\n"
        "    spine  2 nodes\n"
        "      leaf-1  1 node: ip-workers-1\n"
        "      leaf-2  1 node: ip-workers-2\n"
        "\n"
        "without a known place: ip-workers-3, ip-workers-4\n"
        "\n"
        "Slurm (topology/tree): 2 nodes as AWS places them, 0 differ, 2 unknown\n"
        "\n"
        "Running jobs\n"
        "  job  name   user  nodes  leaves  spines\n"
        "  7    train  ada   2      2       1\n"
    )


def test_json(tmp_path: Path) -> None:
    data = json.loads(topology_json(made(tmp_path)))
    jsonschema.validate(data, schemas()["topology-output.schema.json"])
    assert (data["command"], data["exit_code"], data["plugin"]) == ("topology", 0, "topology/tree")
    assert data["nodes"][0]["path"] == ["top", "spine", "leaf-1"]
    assert data["jobs"][0]["crosses_spines"] is False
