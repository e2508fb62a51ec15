"""The step that reports settings without effect in HyperPod's slurm.conf."""

from __future__ import annotations

from collections.abc import Callable

from tests.nodes.world import World

ALL = (
    "AccountingStorageEnforce = associations,limits,qos,safe\nPriorityType            ="
    " priority/multifactor\nPriorityWeightFairShare = 1000\nPriorityWeightQOS       = 1000\n"
)


def said(world: World) -> list[str]:
    run = world.run()
    assert run.code == 0, run.last
    assert run.statuses()["managed_limits"] == "unchanged"
    return [
        row["text"]
        for row in run.lines
        if row["event"] == "notice" and row["step"] == "managed_limits"
    ]


def limited(world: Callable[..., World], config: str) -> World:
    node = world("controller-1", slurm_config=config)
    node.edit("cluster.json", lambda c: c["slurm"]["qos"][0].update(max_nodes_per_user=2))
    node.edit(
        "cluster.json", lambda c: c["slurm"]["accounts"][0].update(max_nodes=3, qos=["high"])
    )
    return node


def test_nothing_is_reported_if_all_limits_are_enforced(world: Callable[..., World]) -> None:
    assert said(limited(world, ALL)) == []


def test_limits_without_effect_are_reported_by_name(world: Callable[..., World]) -> None:
    texts = said(
        limited(world, "AccountingStorageEnforce = none\nPriorityType = priority/basic\n")
    )
    assert texts == [
        "limits of QOS high, account research are not enforced: HyperPod's slurm.conf has"
        " AccountingStorageEnforce=none",
        "any QOS may be used by account research: HyperPod's slurm.conf has"
        " AccountingStorageEnforce=none",
        "priorities of QOS have no effect: HyperPod's slurm.conf has no PriorityWeightQOS",
        "shares of accounts have no effect: HyperPod's slurm.conf has no PriorityWeightFairShare",
    ]


def test_weight_of_zero_is_ignored(world: Callable[..., World]) -> None:
    (text,) = said(limited(world, ALL.replace("QOS       = 1000", "QOS       = 0")))
    assert "PriorityWeightQOS" in text


def test_step_runs_on_the_controller_in_the_managed_configuration(
    world: Callable[..., World],
) -> None:
    assert world("workers-1").run().statuses()["managed_limits"] == "skipped"
    assert world("controller-1", "scripted").run().statuses()["managed_limits"] == "skipped"
