"""The step that gives slurmdbd a user of its own: the master's secret is read once."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from clusterwright_node.steps import slurm_database_user

from tests.nodes.world import MUNGE_SECRET, Run, World

ADMIN = "arn:aws:secretsmanager:us-east-1:111122223333:secret:prod/slurm-accounting-AbCdEf"
USER = "arn:aws:secretsmanager:us-east-1:111122223333:secret:prod/slurm-accounting-user-AbCdEf"
MASTER = {"slurm": {"password": "m4ster", "databases": ["*"]}}


def with_rds(node: World, **changes: Any) -> World:
    node.edit("cluster.json", lambda c: c["slurm"].update(accounting="rds"))
    accounting = {
        "endpoint": "db.example.us-east-1.rds.amazonaws.com",
        "port": 3306,
        "database": "slurm_acct_db",
        "secret_arn": USER,
        "admin_secret_arn": ADMIN,
    }
    node.edit("deployment.json", lambda d: d.update(accounting=accounting))
    secrets = {
        MUNGE_SECRET: "k" * 128,
        ADMIN: json.dumps({"username": "slurm", "password": "m4ster"}),
        USER: json.dumps({"username": "slurmdbd", "password": "less3r"}),
    }
    node.change(**{"secrets": secrets, "database_users": dict(MASTER), **changes})
    return node


def secrets_read(run: Run) -> list[str]:
    return [
        argv[argv.index("--secret-id") + 1]
        for argv in run.machine.ran
        if argv[:2] == ("aws", "secretsmanager")
    ]


def test_slurmdbd_signs_in_as_a_user_of_its_own_database_only(
    world: Callable[..., World],
) -> None:
    node = with_rds(world("controller-1", "scripted"))
    run = node.run()
    assert run.code == 0, run.text
    assert run.statuses()["slurm_database_user"] == "applied"
    assert node.state["database_users"]["slurmdbd"] == {
        "password": "less3r",
        "databases": ["slurm_acct_db"],
    }
    conf = (node.root / "opt/slurm/etc/slurmdbd.conf").read_text()
    assert "StorageUser=slurmdbd\n" in conf
    assert "m4ster" not in conf


def test_the_masters_secret_is_read_once(world: Callable[..., World]) -> None:
    node = with_rds(world("controller-1", "scripted"))
    assert ADMIN in secrets_read(node.run())
    run = node.run()
    assert run.statuses()["slurm_database_user"] == "unchanged"
    assert not secrets_read(run)


def test_a_replaced_controller_does_not_read_it(world: Callable[..., World]) -> None:
    users = {**MASTER, "slurmdbd": {"password": "less3r", "databases": ["slurm_acct_db"]}}
    node = with_rds(world("controller-1", "scripted"), database_users=users)
    run = node.run()
    assert run.statuses()["slurm_database_user"] == "applied"
    assert ADMIN not in secrets_read(run)


def test_no_password_is_on_a_command_line_in_the_log_or_left_in_a_file(
    world: Callable[..., World],
) -> None:
    node = with_rds(world("controller-1", "scripted"))
    run = node.run()
    for password in ("m4ster", "less3r"):
        assert not [argv for argv in run.machine.ran if password in " ".join(argv)]
        assert password not in run.text
    for path in (slurm_database_user.OPTIONS, slurm_database_user.STATEMENTS):
        assert not (node.root / path.lstrip("/")).exists()
    assert not [
        path
        for path in node.root.rglob("*")
        if path.is_file() and "m4ster" in path.read_text(errors="replace")
    ]


def test_wherever_it_is_killed_the_next_run_finishes_and_cleans_up(
    world: Callable[..., World],
) -> None:
    points = with_rds(world("controller-1", "scripted")).run().machine.points
    ours = [index for index, label in enumerate(points) if "database-" in label or "USER" in label]
    assert any("within CREATE USER" in points[index] for index in ours)
    for kill_at in ours:
        node = with_rds(world("controller-1", "scripted"))
        assert node.run_and_be_killed(kill_at)
        assert node.run().code == 0
        assert "slurmdbd" in node.state["database_users"]
        for path in (slurm_database_user.OPTIONS, slurm_database_user.STATEMENTS):
            assert not (node.root / path.lstrip("/")).exists()


def test_a_database_that_does_not_answer_is_named(world: Callable[..., World]) -> None:
    node = with_rds(world("controller-1", "scripted"), remote_database_up=False)
    run = node.run()
    assert run.code == 1
    assert "the accounting database does not answer" in run.last
    assert "security group" in run.last


def test_users_of_a_database_of_others_are_not_touched(world: Callable[..., World]) -> None:
    node = with_rds(world("controller-1", "scripted"))
    node.edit("deployment.json", lambda d: d["accounting"].pop("admin_secret_arn"))
    run = node.run(only=["slurm_database_user"])
    assert "no database whose users are created here" in run.end_of("slurm_database_user")["hint"]


def test_where_the_platform_starts_slurmdbd_it_is_too_late(world: Callable[..., World]) -> None:
    run = world("controller-1").run()
    hint = run.end_of("slurm_database_user")["hint"]
    assert hint == (
        "HyperPod starts slurmdbd before this program runs in the managed configuration"
    )
