"""Names, account, region and protection of stacks."""

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


def test_stacks_are_named_environment_and_part(build: Build) -> None:
    assert set(build(FULL).templates) == {
        "test-identity",
        "test-network",
        "test-storage",
        "test-accounting",
        "test-lifecycle",
        "test-observability",
        "test-cluster",
    }


def test_account_and_region_are_explicit(build: Build) -> None:
    artifacts = json.loads((build(FULL).directory / "manifest.json").read_text())["artifacts"]
    places = {
        a["environment"] for a in artifacts.values() if a["type"] == "aws:cloudformation:stack"
    }
    assert places == {"aws://111122223333/us-east-1"}
