"""The step that starts Slurm in the scripted configuration."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from tests.nodes.world import World

CONF = "opt/slurm/etc/slurm.conf"


def started(node: World) -> list[str]:
    run = node.run()
    assert run.code == 0, run.text
    return [argv[2] for argv in run.machine.ran if argv[:2] == ("systemctl", "start")]


def test_controller_starts_daemons_in_order(world: Callable[..., World]) -> None:
    node = world("controller-1", "scripted")
    units = started(node)
    order = ("munge.service", "mariadb.service", "slurmdbd.service", "slurmctld.service")
    assert [unit for unit in units if unit in order] == list(order)
    assert "slurmd.service" not in units
    read = [line.split()[0] for line in node.state["partitions_read"]]
    assert read == ["PartitionName=train"]
    assert node.journal()["begun"] == {}


def test_running_slurmctld_reads_changed_files(world: Callable[..., World]) -> None:
    node = world("controller-1", "scripted")
    started(node)
    node.edit("cluster.json", lambda c: c["slurm"]["timeouts"].update(kill_wait_seconds=90))
    # No daemon of Slurm; the path unit is restarted, because its copy of cluster.json has changed.
    assert started(node) == ["clusterwright-slurm-follow.path"]
    assert node.state["reconfigured"]
    conf = (node.root / CONF).read_bytes()
    assert node.state["read_by_daemons"]["slurm.conf"] == hashlib.sha256(conf).hexdigest()


def test_worker_waits_for_the_controller_and_starts_slurmd(world: Callable[..., World]) -> None:
    event = {"at": 70, "path": ["controller_up"], "value": True}
    node = world("workers-1", "scripted", controller_up=False, events=[event])
    units = started(node)
    assert "slurmd.service" in units
    assert "slurmctld.service" not in units
    environment = (node.root / "etc/clusterwright/slurmd.env").read_text()
    assert environment == 'SLURMD_OPTIONS="--conf-server 10.1.0.10:6817"\n'
    drop_in = node.root / "etc/systemd/system/slurmd.service.d/50-clusterwright.conf"
    lines = drop_in.read_text().splitlines()
    assert "EnvironmentFile=/etc/clusterwright/slurmd.env" in lines
    # Device files that come late, or a controller that boots last, end slurmd.
    assert {"Restart=on-failure", "RestartSec=5", "StartLimitIntervalSec=0"} <= set(lines)
    assert "nvidia-persistenced.service" in next(line for line in lines if "After=" in line)
    assert not (node.root / "etc/systemd/system/slurmd.service").exists(), "never rewritten"


def test_unresponsive_controller_fails(world: Callable[..., World]) -> None:
    run = world("workers-1", "scripted", controller_up=False).run()
    assert run.code == 1
    assert "not done after 900 s: slurmctld at 10.1.0.10:6817 does not respond" in run.last
    assert "6817" in run.last


def test_unit_without_options_is_refused(world: Callable[..., World]) -> None:
    node = world("workers-1", "scripted")
    units = node.state["image_units"]
    units["slurmd.service"] = "[Service]\nExecStart=/opt/slurm/sbin/slurmd -D\n"
    node.change(image_units=units)
    assert "does not use $SLURMD_OPTIONS" in node.run().last


def test_login_node_runs_sackd(world: Callable[..., World]) -> None:
    node = world("login-1", "scripted")
    assert "sackd.service" in started(node)
    assert not (node.root / "etc/profile.d/clusterwright-slurm.sh").exists()


def test_login_node_without_sackd_queries_the_controller(world: Callable[..., World]) -> None:
    node = world("login-1", "scripted")
    units = node.state["image_units"]
    del units["sackd.service"]
    node.change(image_units=units)
    run = node.run()
    assert run.code == 0, run.text
    profile = (node.root / "etc/profile.d/clusterwright-slurm.sh").read_text()
    assert "export SLURM_CONF_SERVER=10.1.0.10:6817\n" in profile
    asked = ("env", "SLURM_CONF_SERVER=10.1.0.10:6817", "scontrol", "ping")
    assert asked in run.machine.ran
    assert node.run().machine.points == []


def test_a_worker_without_slurmd_is_refused(world: Callable[..., World]) -> None:
    node = world("workers-1", "scripted")
    units = node.state["image_units"]
    del units["slurmd.service"]
    node.change(image_units=units)
    run = node.run()
    assert run.code == 1
    assert "the image has no slurmd.service" in run.last


def test_step_is_skipped_in_managed_mode(world: Callable[..., World]) -> None:
    run = world("workers-1").run()
    assert run.end_of("slurm_daemons")["hint"] == (
        "HyperPod starts Slurm in the managed configuration"
    )


def test_slurmctld_that_reloads_counts_as_running(world: Callable[..., World]) -> None:
    """Its unit is then `reloading`, which does not mean stopped."""
    node = world("controller-1", "scripted")
    started(node)
    units = node.state["units"]
    units["slurmctld.service"]["forced_state"] = "reloading"
    node.change(units=units)
    assert node.run().statuses()["slurm_daemons"] == "unchanged"


def test_slurmctld_in_transition_is_awaited(world: Callable[..., World]) -> None:
    """During the change to its successor, its unit is neither active nor stopped."""
    node = world("controller-1", "scripted")
    started(node)
    units = node.state["units"]
    units["slurmctld.service"]["forced_state"] = "deactivating"
    path = ["units", "slurmctld.service", "forced_state"]
    node.change(units=units, events=[{"at": 300, "path": path, "value": "active"}])
    node.edit("cluster.json", lambda c: c["slurm"]["timeouts"].update(kill_wait_seconds=90))
    run = node.run()
    assert (run.code, run.statuses()["slurm_daemons"]) == (0, "applied"), run.text
