"""Devices of an emulated machine at boot."""

from __future__ import annotations

import json
import os
import stat
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from clusterwright_rehearsal.nodes.hardware import hardware_of
from packages.rehearsal.tests.nodes.emulation.conftest import TOOLS


class Boot:
    """Devices that were created, and mounts."""

    def __init__(self) -> None:
        self.devices: dict[str, tuple[int, int]] = {}
        self.mounts: list[str] = []


@pytest.fixture
def boot(machine: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Boots the machine of an instance type, without touching this one."""
    found = Boot()

    def mknod(path: str, mode: int, device: int) -> None:
        assert stat.S_ISCHR(mode)
        found.devices[path] = (os.major(device), os.minor(device))

    def run(words: list[str], **_: Any) -> SimpleNamespace:
        found.mounts.append(words[-1])
        return SimpleNamespace(returncode=0)

    monkeypatch.setattr(os, "mknod", mknod)
    monkeypatch.setattr(os, "chmod", lambda *_: None)
    monkeypatch.setattr(os, "makedirs", lambda *_, **__: None)
    monkeypatch.setattr(os.path, "lexists", lambda path: path in found.devices)
    monkeypatch.setattr(os.path, "ismount", lambda _: False)
    monkeypatch.setattr(subprocess, "run", run)

    def start(instance_type: str) -> Boot:
        described = hardware_of(instance_type).as_file("i-0123456789abcdef0")
        (machine.parent / "hardware.json").write_text(json.dumps(described))
        path = TOOLS / "set_up.py"
        exec(compile(path.read_text(), path, "exec"), {"__name__": "emulated"})
        return found

    return start


def test_gpus_have_devices_and_descriptions(boot: Any, machine: Path) -> None:
    found = boot("p5.48xlarge")
    assert [found.devices[f"/dev/nvidia{number}"] for number in range(8)] == [
        (195, number) for number in range(8)
    ]
    assert found.devices["/dev/nvidiactl"] == (195, 255)
    state = machine.parent
    texts = sorted((state / "driver/nvidia/gpus").glob("*/information"))
    assert len(texts) == 8
    assert "Device Minor: \t 0\n" in texts[0].read_text()
    assert "/proc/driver" in found.mounts
    cpus = (state / "pci/upper/nvidia").glob("*/local_cpulist")
    assert {path.read_text() for path in cpus} == {"0-191\n"}


def test_efa_interfaces_are_active(boot: Any, machine: Path) -> None:
    found = boot("p5.48xlarge")
    folder = machine.parent / "class/upper/infiniband"
    assert len(list(folder.iterdir())) == 32
    assert (folder / "rdmap79s0/ports/1/state").read_text() == "4: ACTIVE\n"
    assert (folder / "rdmap79s0/ports/1/hw_counters/rdma_write_wr_err").read_text() == "0\n"
    assert found.devices["/dev/infiniband/uverbs31"] == (231, 223)


def test_lost_neuron_devices_are_not_created(boot: Any, machine: Path) -> None:
    (machine / "neuron-lost").write_text("2")
    found = boot("trn1.32xlarge")
    assert [name for name in found.devices if name.startswith("/dev/neuron")] == [
        f"/dev/neuron{number}" for number in range(16) if number != 2
    ]
    counters = machine.parent / "virtual/upper/neuron_device/neuron0/stats/hardware"
    assert sorted(path.name for path in counters.iterdir()) == [
        "mem_ecc_uncorrected",
        "sram_ecc_uncorrected",
    ]
    assert "/sys/devices/virtual" in found.mounts


def test_disks_instance_id_and_shared_memory(boot: Any, machine: Path) -> None:
    found = boot("p5.48xlarge")
    folder = machine.parent / "class/upper/nvme"
    assert sorted(path.name for path in folder.iterdir()) == [f"nvme{n}" for n in range(1, 9)]
    model = (folder / "nvme8/model").read_text().strip()
    assert model == "Amazon EC2 NVMe Instance Storage"
    assert int((folder / "nvme1/nvme1n1/size").read_text()) * 512 == 3800 * 10**9
    tag = machine.parent / "virtual/upper/dmi/id/board_asset_tag"
    assert tag.read_text() == "i-0123456789abcdef0\n"
    assert "/dev/shm" in found.mounts


def test_a_machine_without_devices_has_an_instance_id_and_a_boot_id(
    boot: Any, machine: Path
) -> None:
    found = boot("m5.xlarge")
    assert found.devices == {}
    assert "/sys/class" not in found.mounts
    # That of systemd-nspawn is unmounted first.
    assert found.mounts.count("/proc/sys/kernel/random/boot_id") == 2
    assert "/sys/devices/virtual" in found.mounts
    tag = machine.parent / "virtual/upper/dmi/id/board_asset_tag"
    assert tag.read_text() == "i-0123456789abcdef0\n"
    text = Path("/proc/sys/kernel/random/boot_id").read_text()
    assert (machine.parent / "boot_id").read_text() == text
    assert (machine.parent / "faults").is_dir()
