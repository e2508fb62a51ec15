"""The step that installs a MariaDB on the controller."""

from __future__ import annotations

from collections.abc import Callable

from tests.nodes.world import World


def test_database_is_started_before_slurmdbd(world: Callable[..., World]) -> None:
    node = world("controller-1", "scripted")
    run = node.run()
    assert run.statuses()["slurm_database"] == "applied"
    settings = (node.root / "etc/mysql/mariadb.conf.d/90-clusterwright.cnf").read_text()
    assert "innodb_lock_wait_timeout = 900" in settings
    sql = next(argv[-1] for argv in run.machine.ran if "CREATE DATABASE" in argv[-1])
    assert "IDENTIFIED VIA unix_socket" in sql, "no password"
    names = [argv[2] for argv in run.machine.ran if argv[:2] == ("systemctl", "start")]
    assert names.index("mariadb.service") < names.index("slurmdbd.service")
    assert names.index("slurmdbd.service") < names.index("slurmctld.service")


def test_running_database_reads_changed_settings(world: Callable[..., World]) -> None:
    node = world("controller-1", "scripted")
    node.change(units={"mariadb.service": {"active": True, "enabled": True, "loaded": None}})
    assert ("systemctl", "restart", "mariadb.service") in node.run().machine.ran


def test_amazon_linux_has_another_settings_path(world: Callable[..., World]) -> None:
    node = world("controller-1", "scripted")
    (node.root / "etc/mysql/mariadb.conf.d").rmdir()
    (node.root / "etc/my.cnf.d").mkdir()
    assert node.run().code == 0
    assert (node.root / "etc/my.cnf.d/90-clusterwright.cnf").exists()


def test_an_image_without_mariadb_is_refused(world: Callable[..., World]) -> None:
    node = world("controller-1", "scripted")
    units = node.state["image_units"]
    del units["mariadb.service"]
    node.change(image_units=units)
    run = node.run()
    assert run.code == 1
    assert "the image has no mariadb.service" in run.last
    assert "rds or none" in run.last


def test_step_is_skipped_without_local_accounting(world: Callable[..., World]) -> None:
    skipped = world("workers-1", "scripted").run().end_of("slurm_database")["hint"]
    assert skipped == "the controller does it"
    node = world("controller-1", "scripted")
    node.edit("cluster.json", _without_accounting)
    assert "no local accounting" in node.run().end_of("slurm_database")["hint"]
    assert "managed" in world("controller-1").run().end_of("slurm_database")["hint"]


def _without_accounting(cluster: dict) -> None:
    cluster["slurm"].update(accounting="none", qos=[], accounts=[])
    cluster["users"][0].update(slurm_account=None)
    cluster["groups"][2].update(spare_count=0)
