"""The node program accepts the files that the stacks write."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from clusterwright_node.catalogue import step_names
from clusterwright_node.inputs import parse_cluster

from clusterwright.catalog import load_catalog
from clusterwright.cluster_spec import load_spec
from stacks.lifecycle import node_files

CONFIGS = Path(__file__).parents[2] / "configs"
FILES = sorted(
    path
    for path in [*CONFIGS.glob("*.yaml"), *CONFIGS.glob("examples/*.yaml")]
    # On Kubernetes nodes no program reads the file.
    if path.stem != "base" and load_spec(path).cluster.uses_slurm
)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_cluster_file_of_every_config_is_accepted(path: Path) -> None:
    cluster = load_spec(path).cluster
    value = json.loads(json.dumps(node_files.cluster_json(cluster, load_catalog())))
    problems: list[str] = []
    parsed = parse_cluster(value, problems, step_names())
    assert problems == []
    assert parsed.cluster == cluster.environment
    assert [group.name for group in parsed.groups] == [group.name for group in cluster.compute]
    on_hyperpod = cluster.platform == "hyperpod-slurm"
    mode = cluster.slurm.configuration if on_hyperpod else cluster.platform
    assert parsed.configuration == mode


def test_configs_of_every_kind_exist() -> None:
    kinds = {
        node_files.cluster_json(load_spec(path).cluster, load_catalog())["configuration"]
        for path in FILES
    }
    assert kinds == {"managed", "scripted", "parallelcluster", "pcs"}
