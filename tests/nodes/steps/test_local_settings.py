"""The step that reports files which override what was generated."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from tests.nodes.world import World

REPORT = "var/lib/clusterwright/local-settings.json"


def settings(node: World) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((node.root / REPORT).read_text())["settings"]
    return found


def test_variables_of_the_image_are_reported_and_kept(world: Callable[..., World]) -> None:
    node = world("workers-1")
    path = node.root / "etc/nccl.conf"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("NCCL_NET=Socket\n")
    run = node.run()
    assert run.code == 0
    assert run.statuses()["local_settings"] == "applied"
    assert settings(node) == [
        {
            "path": "/etc/nccl.conf",
            "setting": "NCCL_NET=Socket",
            "effect": "jobs communicate over TCP instead of EFA",
        }
    ]
    assert path.read_text() == "NCCL_NET=Socket\n"
    assert "/etc/nccl.conf: NCCL_NET=Socket: jobs communicate over TCP" in "\n".join(run.notices())
    again = node.run()
    assert again.statuses()["local_settings"] == "unchanged"
    path.unlink()
    assert node.run().statuses()["local_settings"] == "applied"
    assert settings(node) == []


def test_nodes_have_no_files_that_override_the_generated_ones(
    world: Callable[..., World],
) -> None:
    """What this program and the platform write is not reported."""
    for name in ("controller-1", "workers-1", "login-1"):
        node = world(name)
        assert node.run().code == 0
        assert settings(node) == [], name
