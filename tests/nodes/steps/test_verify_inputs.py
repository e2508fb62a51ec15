"""The step that compares the files with each other."""

from __future__ import annotations

import json
from collections.abc import Callable

from tests.nodes.world import RESOURCES, World


def test_consistent_files_pass(world: Callable[..., World]) -> None:
    assert world("login-1").run().statuses()["verify_inputs"] == "unchanged"
    assert world("login-1", "scripted").run().statuses()["verify_inputs"] == "unchanged"


def test_group_without_instances_is_accepted(world: Callable[..., World]) -> None:
    node = world("controller-1")
    value = json.loads(json.dumps(RESOURCES))
    del value["InstanceGroups"][2]
    (node.root / "opt/ml/config/resource_config.json").write_text(json.dumps(value))
    assert node.run().code == 0
