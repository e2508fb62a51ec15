"""The checked permissions of boundaries and roles match those of the nodes in the templates."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from clusterwright.platforms.loading import load_cluster
from clusterwright.platforms.node_permissions import node_permissions
from tests.stacks.templates import listed, statements
from tests.support import specs
from tests.support.rich_specs import SPECS
from tests.support.synthesis import Build


@pytest.mark.parametrize("name", SPECS)
def test_permissions_of_nodes_are_known(name: str, tmp_path: Path, build: Build) -> None:
    cluster = load_cluster(specs.write(tmp_path / "spec.yaml", SPECS[name])).cluster
    given = {
        action
        for where, statement in statements(build(SPECS[name]))
        if re.search(r"ExecutionRole|NodeRole|NodeRights|NodePolicy", where)
        for action in listed(statement["Action"])
    }
    assert {action for right in node_permissions(cluster) for action in right.actions} == given
