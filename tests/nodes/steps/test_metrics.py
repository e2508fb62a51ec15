"""The step that installs the exporter."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import pytest

from tests.nodes.world import World

UNIT = "etc/systemd/system/clusterwright-metrics.service"


def listens(node: World) -> str:
    text = (node.root / UNIT).read_text()
    start = next(line for line in text.splitlines() if line.startswith("ExecStart="))
    return start.partition("--listen=")[2]


@pytest.mark.parametrize("configuration", ["managed", "scripted"])
@pytest.mark.parametrize(
    ("name", "address"),
    [
        ("controller-1", "10.1.0.10"),
        ("login-1", "10.1.0.20"),
        ("workers-1", "10.1.0.31"),
    ],
)
def test_every_node_serves_metrics_at_its_address(
    world: Callable[..., World], configuration: str, name: str, address: str
) -> None:
    node = world(name, configuration)
    assert node.run().statuses()["metrics"] == "applied"
    assert listens(node) == f"{address}:9177"
    assert (
        f"--role={ {'workers': 'compute'}.get(name[:-2], name[:-2]) } "
        in (node.root / UNIT).read_text()
    )
    assert node.state["units"]["clusterwright-metrics.service"]["active"]
    assert node.run().statuses()["metrics"] == "unchanged"


def test_loopback_listens_on_loopback(world: Callable[..., World]) -> None:
    node = world("login-1")
    node.edit("cluster.json", lambda value: value["metrics"].update(listen="loopback", port=9999))
    node.run()
    assert listens(node) == "127.0.0.1:9999"


def test_nothing_is_installed_without_metrics(world: Callable[..., World]) -> None:
    node = world("workers-1")
    node.edit("cluster.json", lambda value: value.update(metrics=None))
    run = node.run()
    assert run.statuses()["metrics"] == "skipped"
    assert run.statuses()["metrics_shipping"] == "skipped"
    assert not (node.root / UNIT).exists()
    assert not (node.root / "opt/clusterwright/lib/clusterwright_metrics").exists()


def test_service_is_sandboxed(world: Callable[..., World]) -> None:
    node = world("login-1")
    node.run()
    text = (node.root / UNIT).read_text()
    for line in (
        "NoNewPrivileges=yes",
        "ProtectSystem=strict",
        "ProtectHome=read-only",
        "CapabilityBoundingSet=CAP_SYS_ADMIN",
        "RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK",
        "MemoryMax=1G",
    ):
        assert line in text.splitlines()
    bare = world("login-1", "scripted")
    bare.edit("cluster.json", lambda value: value.update(lustre=[], checkpoint_path=None))
    bare.edit("deployment.json", lambda value: value.update(lustre=[]))
    bare.run()
    assert "CapabilityBoundingSet=" in (bare.root / UNIT).read_text().splitlines()


def test_a_changed_program_or_port_restarts_it(world: Callable[..., World]) -> None:
    node = world("login-1")
    node.run()
    source = node.root / "opt/clusterwright/lib/clusterwright_metrics/sources/efa.py"
    source.write_text("ROLES = ()\n")
    run = node.run()
    assert run.statuses()["metrics"] == "applied"
    assert ("systemctl", "stop", "clusterwright-metrics.service") in run.machine.ran
    assert "efa_port_active" in source.read_text()
    node.edit("cluster.json", lambda value: value["metrics"].update(port=9200))
    assert node.run().statuses()["metrics"] == "applied"
    assert listens(node).endswith(":9200")


def test_copied_program_runs_without_the_lifecycle_folder(world: Callable[..., World]) -> None:
    node = world("login-1")
    node.run()
    done = subprocess.run(
        [sys.executable, "-B", "-m", "clusterwright_metrics", "--help"],
        env={"PYTHONPATH": str(node.root / "opt/clusterwright/lib")},
        cwd="/",
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("metrics", "says"),
    [
        ({"listen": "everywhere"}, "metrics.listen"),
        ({"port": 80}, "metrics.port"),
        ({"interval_seconds": 1}, "metrics.interval_seconds"),
        ({"path": "/m"}, "metrics.path"),
    ],
)
def test_other_values_are_refused(
    world: Callable[..., World], metrics: dict[str, object], says: str
) -> None:
    node = world("login-1")
    node.edit("cluster.json", lambda value: value["metrics"].update(metrics))
    run = node.run()
    assert run.code == 3
    assert any(says in row["error"] for row in run.lines if row["event"] == "problem")
