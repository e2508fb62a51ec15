"""What the stacks write for the nodes is what the node program reads."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from clusterwright_node.catalogue import step_names
from clusterwright_node.inputs import parse_cluster

from clusterwright.catalog import load_catalog
from clusterwright.spec import load_spec
from stacks import node_files

CONFIGS = Path(__file__).parents[2] / "configs"
FILES = sorted(
    path
    for path in [*CONFIGS.glob("*.yaml"), *CONFIGS.glob("examples/*.yaml")]
    if path.stem != "base"
)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_cluster_file_of_every_config_is_accepted(path: Path) -> None:
    cluster = load_spec(path).cluster
    value = json.loads(json.dumps(node_files.cluster_json(cluster, load_catalog())))
    problems: list[str] = []
    parsed = parse_cluster(value, problems, step_names())
    assert problems == []
    assert parsed.cluster == cluster.environment
    assert [group.name for group in parsed.groups] == [group.name for group in cluster.compute]
    assert parsed.configuration == cluster.slurm.configuration


def test_there_are_configs_of_both_kinds() -> None:
    kinds = {load_spec(path).cluster.slurm.configuration for path in FILES}
    assert kinds == {"managed", "scripted"}
