"""The step that installs the health program."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable

import pytest

from tests.nodes.world import World

FILE = "etc/clusterwright/health.json"


def devices(node: World, count: int) -> None:
    for number in range(count):
        vendor = node.root / f"sys/class/infiniband/rdmap{79 + number}s0/device/vendor"
        vendor.parent.mkdir(parents=True, exist_ok=True)
        vendor.write_text("0x1d0f\n")


def expected(node: World) -> dict[str, object]:
    found: dict[str, object] = json.loads((node.root / FILE).read_text())
    return found


def test_hardware_of_a_healthy_node_is_recorded(world: Callable[..., World]) -> None:
    node = world("workers-1")
    devices(node, 32)
    assert node.run().statuses()["health"] == "applied"
    assert expected(node) == {
        "slurm_name": "ip-10-1-0-31",
        "accelerator": "nvidia",
        "accelerator_count": 8,
        "efa_count": 32,
        "shared_paths": ["/fsx", "/home"],
        "scratch_path": "/opt/dlami/nvme",
    }


def test_lost_device_is_still_expected(world: Callable[..., World]) -> None:
    node = world("workers-1")
    devices(node, 32)
    node.run()
    (node.root / "sys/class/infiniband/rdmap110s0/device/vendor").unlink()
    assert node.run().statuses()["health"] == "unchanged"
    assert expected(node)["efa_count"] == 32


def test_only_compute_nodes_are_checked(world: Callable[..., World]) -> None:
    assert world("controller-1").run().statuses()["health"] == "skipped"
    assert world("login-1").run().statuses()["health"] == "skipped"


def test_managed_uses_a_timer_and_scripted_uses_slurm(world: Callable[..., World]) -> None:
    managed = world("workers-1")
    managed.run()
    timer = managed.root / "etc/systemd/system/clusterwright-health.timer"
    assert "OnUnitActiveSec=300" in timer.read_text()
    scripted = world("workers-1", "scripted")
    run = scripted.run()
    assert not (scripted.root / "etc/systemd/system/clusterwright-health.timer").exists()
    steps = list(run.statuses())
    assert steps.index("health") < steps.index("slurm_daemons")
    controller = world("controller-1", "scripted")
    controller.run()
    conf = (controller.root / "opt/slurm/etc/slurm.conf").read_text()
    assert "HealthCheckProgram=/opt/clusterwright/slurm/health_check" in conf
    assert "Prolog=/opt/clusterwright/slurm/prolog" in conf


@pytest.mark.parametrize("name", ["prolog", "epilog", "health_check"])
def test_entry_scripts_are_valid_shell_and_run_the_copied_program(
    world: Callable[..., World], name: str
) -> None:
    node = world("workers-1")
    node.run()
    entry = node.root / "opt/clusterwright/slurm" / name
    assert entry.stat().st_mode & 0o777 == 0o755
    words = entry.read_text().splitlines()[-1].split()
    mode = {"health_check": "periodic"}.get(name, name)
    assert words[-3:] == ["-m", "clusterwright_health", mode]
    # The copy is complete: it runs without the lifecycle folder.
    done = subprocess.run(
        [sys.executable, "-B", "-m", "clusterwright_health"],
        env={"PYTHONPATH": str(node.root / "opt/clusterwright/lib")},
        cwd="/",
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (3, "")


def test_changed_copy_is_restored(world: Callable[..., World]) -> None:
    node = world("workers-1")
    node.run()
    check = node.root / "opt/clusterwright/lib/clusterwright_health/checks/efa.py"
    check.write_text("def look(probe, expected): return []\n")
    (node.root / "opt/clusterwright/slurm/prolog").chmod(0o644)
    assert node.run().statuses()["health"] == "applied"
    assert "devices" in check.read_text()
    assert node.run().statuses()["health"] == "unchanged"


def test_missing_prolog_is_reported_in_the_managed_configuration(
    world: Callable[..., World],
) -> None:
    for configuration, said in (("managed", True), ("scripted", False)):
        notices = world("workers-1", configuration).run().notices()
        assert any("directly before a job" in text for text in notices) is said
