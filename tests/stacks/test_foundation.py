"""The stacks before the nodes."""

from __future__ import annotations

import json

from tests.stacks.templates import group_of
from tests.support.rich_specs import FULL
from tests.support.synthesis import Assembly, Build


def storage(assembly: Assembly, group: str) -> list[str]:
    """What each entry of InstanceStorageConfigs is, in order."""
    return [
        next(iter(entry)) for entry in group_of(assembly, group).get("InstanceStorageConfigs", [])
    ]


def test_cluster_is_deployed_after_its_dependencies(build: Build) -> None:
    assembly = build(FULL)
    artifacts = json.loads((assembly.directory / "manifest.json").read_text())["artifacts"]
    assert set(artifacts["test-cluster"]["dependencies"]) >= {
        "test-identity",
        "test-network",
        "test-storage",
        "test-accounting",
        "test-lifecycle",
        "test-observability",
    }
    resource = assembly.templates["test-cluster"]["Resources"]["Cluster"]
    assert any("NodeRolesNodes" in name for name in resource["DependsOn"])
