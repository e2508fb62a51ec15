"""The step that configures QOS in the accounting database."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.nodes.world import World


def qos(name: str, **changes: object) -> dict[str, object]:
    return {
        "name": name, "priority": 0, "preempts": [], "grace_seconds": 0,
        "max_nodes_per_user": None, "max_time_minutes": None, **changes,
    }  # fmt: skip


def test_limit_reserves_the_spares(world: Callable[..., World]) -> None:
    node = world("controller-1", "scripted")
    run = node.run()
    assert run.statuses()["slurm_qos"] == "applied"
    assert node.state["qos"]["cw-partition-train"] == {
        "grptres": "node=1",  # three nodes, two of them spare
        "flags": "DenyOnLimit",
    }
    conf = (node.root / "opt/slurm/etc/slurm.conf").read_text()
    assert "QOS=cw-partition-train" in conf


def test_the_limit_follows_the_nodes(world: Callable[..., World]) -> None:
    node = world("controller-1", "scripted")
    node.run()
    node.edit("cluster.json", lambda c: c["groups"][2].update(spare_count=1))
    assert node.run().statuses()["slurm_qos"] == "applied"
    assert node.state["qos"]["cw-partition-train"]["grptres"] == "node=2"


def test_qos_of_the_spec_are_configured(world: Callable[..., World]) -> None:
    def edit(cluster: Any) -> None:
        cluster["slurm"].update(
            preemption="requeue",
            qos=[
                qos("urgent", priority=100, preempts=["low"], grace_seconds=90),
                qos("low", max_nodes_per_user=4, max_time_minutes=1500),
            ],
        )

    node = world("controller-1", "scripted")
    node.edit("cluster.json", edit)
    assert node.run().code == 0
    assert node.state["qos"]["urgent"] == {
        "priority": "100",
        "preempt": "low",
        "gracetime": "00:01:30",
    }
    assert node.state["qos"]["low"] == {"maxtrespu": "node=4", "maxwall": "1-01:00:00"}
    assert node.run().machine.points == [], "what is there is understood"

    def relax(cluster: Any) -> None:
        cluster["slurm"].update(qos=[qos("urgent", priority=5), qos("low")])

    node.edit("cluster.json", relax)
    assert node.run().statuses()["slurm_qos"] == "applied"
    assert node.state["qos"]["low"] == {"maxtrespu": "", "maxwall": ""}
    assert node.state["qos"]["urgent"]["priority"] == "5"
    assert node.run().machine.points == []


def test_qos_of_others_are_kept(world: Callable[..., World]) -> None:
    node = world("controller-1", qos={"normal": {}, "theirs": {"priority": "7"}})
    node.run()
    assert node.state["qos"]["theirs"] == {"priority": "7"}
    assert "high" in node.state["qos"], "in the managed configuration too"
    assert "cw-partition-train" not in node.state["qos"]


def test_step_is_skipped_without_accounting_or_qos(world: Callable[..., World]) -> None:
    def none(cluster: Any) -> None:
        cluster["slurm"].update(accounting="none", qos=[], accounts=[])
        cluster["users"][0].update(slurm_account=None)
        cluster["groups"][2].update(spare_count=0)

    node = world("controller-1", "scripted")
    node.edit("cluster.json", none)
    assert node.run().end_of("slurm_qos")["hint"] == "the spec has no accounting"
    node = world("controller-1")
    node.edit("cluster.json", lambda c: c["slurm"].update(qos=[]))
    assert node.run().end_of("slurm_qos")["hint"] == "the spec has no QOS"


def test_unreachable_database_fails(world: Callable[..., World]) -> None:
    run = world("controller-1", slurmdbd_up=False).run()
    assert run.code == 1
    assert "step slurm_qos failed" in run.last
    assert "not done after 600 s: the accounting database does not respond" in run.last
