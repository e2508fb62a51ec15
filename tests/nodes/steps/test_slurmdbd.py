"""The step that starts slurmdbd."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from tests.nodes.world import MUNGE_SECRET, World

CONF = "opt/slurm/etc/slurmdbd.conf"
SECRET = "arn:aws:secretsmanager:us-east-1:111122223333:secret:prod-accounting-AbCdEf"
PASSWORD = "Zq8-very.secret"


def with_rds(node: World, password: str = PASSWORD) -> World:
    """The controller of a cluster with a database on RDS."""
    node.edit("cluster.json", lambda c: c["slurm"].update(accounting="rds"))
    accounting = {
        "endpoint": "db.example.us-east-1.rds.amazonaws.com",
        "port": 3306,
        "database": "slurm_acct_db",
        "secret_arn": SECRET,
    }
    node.edit("deployment.json", lambda d: d.update(accounting=accounting))
    value = json.dumps({"username": "slurm", "password": password})
    node.change(secrets={MUNGE_SECRET: "k" * 128, SECRET: value})
    return node


def test_local_database_needs_no_password(world: Callable[..., World]) -> None:
    node = world("controller-1", "scripted")
    run = node.run()
    assert run.statuses()["slurmdbd"] == "applied"
    text = (node.root / CONF).read_text()
    assert "StorageHost=localhost\n" in text
    assert "DbdHost=ip-10-1-0-10\n" in text
    assert "StoragePass" not in text


def test_rds_password_is_readable_for_slurm_only(
    world: Callable[..., World],
) -> None:
    node = with_rds(world("controller-1", "scripted"))
    run = node.run()
    assert run.code == 0, run.text
    conf = node.root / CONF
    assert f"StoragePass={PASSWORD}\n" in conf.read_text()
    assert "StorageHost=db.example.us-east-1.rds.amazonaws.com\n" in conf.read_text()
    assert "StorageParameters=SSL_CIPHER=" in conf.read_text()
    assert conf.stat().st_mode & 0o777 == 0o600
    assert run.machine.owner_of("/" + CONF) == (64030, 64030)
    assert run.statuses()["slurm_database"] == "skipped"
    for path in node.root.rglob("*"):
        if path.is_file() and path != conf:
            assert PASSWORD not in path.read_text(errors="replace"), path
    assert PASSWORD not in run.text
    assert not [argv for argv in run.machine.ran if PASSWORD in " ".join(argv)]


def test_ca_certificates_of_the_image_are_used(world: Callable[..., World]) -> None:
    node = with_rds(world("controller-1", "scripted"))
    path = node.root / "opt/clusterwright/rds-ca.pem"
    path.parent.mkdir(parents=True)
    path.write_text("-----BEGIN CERTIFICATE-----")
    node.run()
    assert ",SSL_CA=/opt/clusterwright/rds-ca.pem\n" in (node.root / CONF).read_text()


@pytest.mark.parametrize("password", ['with"quote', "with#hash", "with blank", "with\\slash", ""])
def test_password_that_the_file_cannot_contain_is_refused(
    world: Callable[..., World], password: str
) -> None:
    run = with_rds(world("controller-1", "scripted"), password).run()
    assert run.code == 1
    assert "the password in the secret of the accounting database" in run.last
    assert not password or password not in run.text


@pytest.mark.parametrize("value", ["not json", "[]", '{"username": "a"}'])
def test_secret_in_another_format_is_refused(world: Callable[..., World], value: str) -> None:
    node = with_rds(world("controller-1", "scripted"))
    node.change(secrets={MUNGE_SECRET: "k" * 128, SECRET: value})
    run = node.run()
    assert "the secret of the accounting database has an unexpected format" in run.last
    assert '{"username": ..., "password": ...}' in run.last


def test_changed_database_restarts_slurmdbd(world: Callable[..., World]) -> None:
    node = with_rds(world("controller-1", "scripted"))
    assert node.run().code == 0
    node.edit("deployment.json", lambda d: d["accounting"].update(endpoint="new.example.com"))
    run = node.run()
    assert run.statuses()["slurmdbd"] == "applied"
    assert ("systemctl", "restart", "slurmdbd.service") in run.machine.ran
    assert run.statuses()["slurm_files"] == "unchanged"


def test_slurmdbd_start_failure_is_reported(world: Callable[..., World]) -> None:
    node = world("controller-1", "scripted", failing_units={})
    units = node.state["image_units"]
    del units["slurmdbd.service"]
    node.change(image_units=units)
    run = node.run()
    assert run.code == 1
    assert "the image has no slurmdbd.service" in run.last
