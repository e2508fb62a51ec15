"""The step that adds the EFA interfaces to LNet."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from tests.nodes.world import World

SCRIPT = "usr/local/lib/clusterwright/lnet-efa.sh"


def devices(node: World, count: int) -> None:
    folder = node.root / "sys/class/infiniband"
    for number in range(79, 79 + count):
        vendor = folder / f"rdmap{number}s0" / "device" / "vendor"
        vendor.parent.mkdir(parents=True, exist_ok=True)
        vendor.write_text("0x1d0f\n")


def added(node: World) -> list[str]:
    lines = (node.root / SCRIPT).read_text().splitlines()
    return [line.split("--if ")[1].split()[0] for line in lines if "net add --net efa" in line]


def test_a_p5_uses_every_fourth_of_its_32_devices(world: Callable[..., World]) -> None:
    """In numerical order: rdmap110 comes after rdmap99."""
    node = world("workers-1")
    devices(node, 32)
    assert node.run().statuses()["lnet_efa"] == "applied"
    assert added(node) == [f"rdmap{number}s0" for number in range(79, 111, 4)]
    assert sorted(node.state["lnet"]) == sorted(added(node))


def test_other_types_use_the_first_and_the_last(world: Callable[..., World]) -> None:
    node = world("workers-1")
    node.edit("cluster.json", lambda c: c["groups"][2].update(instance_type="p6-b200.48xlarge"))
    path = node.root / "opt/ml/config/resource_config.json"
    path.write_text(path.read_text().replace("ml.p5.48xlarge", "ml.p6-b200.48xlarge"))
    assert node.run().code == 0
    assert added(node) == ["rdmap79s0", "rdmap86s0"]


def test_script_is_valid_shell_and_runs_before_lustre_at_boot(
    world: Callable[..., World],
) -> None:
    node = world("workers-1")
    run = node.run()
    tool = Path(sys.executable).parent / "shellcheck"
    checked = subprocess.run(
        [tool, node.root / SCRIPT], capture_output=True, text=True, check=False
    )
    assert checked.returncode == 0, checked.stdout
    unit = (node.root / "etc/systemd/system/clusterwright-lnet-efa.service").read_text()
    assert "Before=remote-fs-pre.target" in unit
    order = list(run.statuses())
    assert order.index("lnet_efa") < order.index("lustre") < order.index("efa_transport")


def test_missing_kernel_module_fails_with_the_output_of_the_unit(
    world: Callable[..., World],
) -> None:
    run = world("workers-1", missing_modules=["kefalnd"]).run()
    assert run.code == 1
    assert "Module kefalnd not found" in run.last


def test_a_machine_without_efa_devices_is_refused(world: Callable[..., World]) -> None:
    node = world("workers-1")
    for vendor in node.root.glob("sys/class/infiniband/*/device/vendor"):
        vendor.write_text("0x15b3\n")
    assert "this machine has no EFA device, but group workers has efa" in node.run().last


def test_an_image_without_a_lustre_client_is_refused(world: Callable[..., World]) -> None:
    assert "no lnetctl" in world("workers-1", missing_commands=["lnetctl"]).run().last


def test_groups_and_file_systems_without_efa_are_skipped(world: Callable[..., World]) -> None:
    assert world("login-1").run().end_of("lnet_efa")["hint"] == "group login has no EFA"
    node = world("workers-1")
    node.edit("cluster.json", lambda c: c["lustre"][0].update(efa=False))
    assert node.run().end_of("lnet_efa")["hint"] == "no Lustre file system has EFA"


def test_changed_devices_are_reconfigured(world: Callable[..., World]) -> None:
    node = world("workers-1")
    node.run()
    devices(node, 12)
    assert node.run().statuses()["lnet_efa"] == "applied"
    assert added(node) == ["rdmap79s0", "rdmap83s0", "rdmap87s0"]
    assert "rdmap87s0" in node.state["lnet"]
