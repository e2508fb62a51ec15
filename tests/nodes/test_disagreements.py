"""Files that contradict each other, or the entry script."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.nodes.world import World


@pytest.mark.parametrize(
    ("name", "edit", "said"),
    [
        (
            "cluster.json",
            lambda c: c.update(cluster="other"),
            "cluster.json is for cluster other, resource_config.json for prod",
        ),
        (
            "cluster.json",
            lambda c: c["groups"].pop(1),
            "resource_config.json has group login, cluster.json has only controller, workers",
        ),
        (
            "cluster.json",
            lambda c: c["groups"][2].update(instance_type="p5e.48xlarge"),
            "group workers is p5e.48xlarge in cluster.json and ml.p5.48xlarge in",
        ),
        (
            "deployment.json",
            lambda d: d["lustre"].clear(),
            "cluster.json has the Lustre file systems [fsx], deployment.json has []",
        ),
        (
            "deployment.json",
            lambda d: d["lustre"].append(d["lustre"][0]),
            "deployment.json has [fsx, fsx]",
        ),
        ("deployment.json", lambda d: d.update(home=None), "home is null in one of"),
        (
            "deployment.json",
            lambda d: d.update(accounting=None),
            "slurm.accounting is rds in cluster.json, and accounting is null in",
        ),
    ],
)
def test_a_contradiction_is_named(
    world: Callable[..., World], name: str, edit: Callable[[dict], object], said: str
) -> None:
    node = world("controller-1")
    node.edit(name, edit)
    run = node.run()
    assert run.code == 3
    assert run.statuses()["verify_inputs"] == "failed"
    assert said in run.last


def test_all_contradictions_are_reported_at_once(world: Callable[..., World]) -> None:
    node = world("controller-1")
    node.edit("cluster.json", lambda c: c.update(cluster="other"))
    node.edit("deployment.json", lambda d: d.update(home=None, accounting=None))
    assert node.run().last.count(";") >= 2


@pytest.mark.parametrize(
    ("has", "started", "entry"),
    [("managed", "scripted", "on_create.sh"), ("scripted", "managed", "on_init_complete.sh")],
)
def test_wrong_entry_is_refused(
    world: Callable[..., World], has: str, started: str, entry: str
) -> None:
    run = world("login-1", has).run(configuration=started)
    assert run.code == 3
    assert f"{entry} runs the {started} configuration, cluster.json says {has}" in run.last


def test_managed_mode_with_provisioning_parameters_is_refused(world: Callable[..., World]) -> None:
    node = world("login-1")
    source = world("login-1", "scripted").folder / "inputs" / "provisioning_parameters.json"
    (node.folder / "inputs" / source.name).write_text(source.read_text())
    run = node.run()
    assert run.code == 3
    assert "but the managed configuration does not use it" in run.last


def test_scripted_without_provisioning_parameters_is_refused(world: Callable[..., World]) -> None:
    node = world("login-1", "scripted")
    (node.folder / "inputs" / "provisioning_parameters.json").unlink()
    assert "the scripted configuration requires it" in node.run().last


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (lambda p: p.update(controller_group="x"), "has controller_group x"),
        (lambda p: p.pop("login_group"), "has login_group None, cluster.json has login"),
        (
            lambda p: p["worker_groups"][0].update(partition_name="dev"),
            "has worker groups [workers in dev], cluster.json has [workers in train]",
        ),
    ],
)
def test_provisioning_parameters_must_agree(
    world: Callable[..., World], edit: Callable[[dict], object], said: str
) -> None:
    node = world("login-1", "scripted")
    node.edit("provisioning_parameters.json", edit)
    run = node.run()
    assert run.code == 3
    assert said in run.last
