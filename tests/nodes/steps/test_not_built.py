"""The step that refuses or reports keys that are not implemented."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.nodes.world import World


def test_spares_without_the_service_that_reserves_them_are_reported(
    world: Callable[..., World],
) -> None:
    node = world("workers-1")
    node.edit("cluster.json", lambda c: c.update(state_bucket=None))
    run = node.run()
    assert run.code == 0
    said = "not built yet: group workers: its 2 spare nodes run jobs like others, because"
    assert sum(text.startswith(said) for text in run.notices()) == 1


@pytest.mark.parametrize("configuration", ["managed", "scripted"])
def test_spares_are_supported(world: Callable[..., World], configuration: str) -> None:
    node = world("workers-1", configuration)
    node.edit("cluster.json", lambda c: c.update(state_bucket="sagemaker-prod-00000000"))
    assert not [text for text in node.run().notices() if "not built" in text]


def test_spares_without_accounting_are_refused(world: Callable[..., World]) -> None:
    def edit(cluster: Any) -> None:
        cluster["slurm"].update(accounting="none", qos=[], accounts=[])
        cluster["users"][0].update(slurm_account=None)

    node = world("controller-1", "scripted")
    node.edit("cluster.json", edit)
    run = node.run()
    assert run.code == 1
    assert "step not_built failed on controller-1: not built yet: spare nodes (group" in run.last
    assert "/etc/systemd" not in " ".join(run.machine.points)
