#!/usr/bin/python3 -SE
"""Creates the emulated accelerators, EFA interfaces and disks of the machine at boot.

Devices are nodes in /dev without a driver: they can be counted and assigned by Slurm, but not
opened. /sys/class, /sys/bus/pci/drivers, /sys/module and /sys/devices/virtual are overlays on a
sysfs of this machine's own network namespace; a machine without devices has none of them. The
names of EFA's counters and the texts below /proc/driver/nvidia were not compared with a real
machine. /dev/shm may use half of the instance type's memory, as Linux allows; the host has
less.
"""

from __future__ import annotations

import os
import stat
import subprocess
from pathlib import Path
from typing import Any

import hardware

_COUNTERS = [
    "rx_bytes", "tx_bytes", "rx_pkts", "tx_pkts", "rx_drops", "send_bytes", "send_wrs",
    "recv_bytes", "recv_wrs", "rdma_read_bytes", "rdma_read_wrs", "rdma_read_wr_err",
    "rdma_read_resp_bytes", "rdma_write_bytes", "rdma_write_wrs", "rdma_write_wr_err",
    "rdma_write_recv_bytes", "lifespan", "submitted_cmds", "completed_cmds", "cmds_err",
    "no_completion_cmds", "keep_alive_rcvd", "alloc_pd_err", "create_qp_err", "reg_mr_err",
    "alloc_ucontext_err", "create_ah_err", "mmap_err", "retrans_bytes", "retrans_pkts",
    "retrans_timeout_events", "unresponsive_remote_events", "impaired_remote_conn_events",
]  # fmt: skip
# AWS Neuron, "Neuron Sysfs User Guide".
_NEURON_COUNTERS = ("mem_ecc_uncorrected", "sram_ecc_uncorrected")
_BOOT_ID = "/proc/sys/kernel/random/boot_id"
_NVIDIA_MAJOR = 195  # Linux, Documentation/admin-guide/devices.txt
_NEURON_MAJOR = 508  # dynamic in Linux; any free number


def main() -> None:
    state = Path(hardware.STATE)
    (state / "faults").mkdir(parents=True, exist_ok=True)
    _boot_id(state)
    found = hardware.hardware()
    kind, count = found["accelerator"]["kind"], found["accelerator"]["count"]
    if kind == "nvidia":
        _nvidia(state, found, count)
    elif kind == "neuron":
        _neuron(state, count)
    _classes(state, found, count if kind == "neuron" else 0)
    if kind != "none" and found.get("memory_gib"):
        size = int(found["memory_gib"] * 2**20 / 2)
        _run("mount", "-o", f"remount,size={size}k", "/dev/shm")


def _boot_id(state: Path) -> None:
    """Mount the boot id of this machine from a file that exists.

    systemd-nspawn deletes the file after mounting it. systemd cannot carry such a mount into the
    sandbox of a service, which then sees the boot id of the host.
    """
    text = Path(_BOOT_ID).read_text()
    own = state / "boot_id"
    own.write_text(text)
    # Nothing can be mounted on a file that was deleted.
    _run("umount", _BOOT_ID)
    _run("mount", "--bind", str(own), _BOOT_ID)


def _nvidia(state: Path, found: dict[str, object], count: int) -> None:
    for index in range(count):
        _device(f"/dev/nvidia{index}", _NVIDIA_MAJOR, index)
    _device("/dev/nvidiactl", _NVIDIA_MAJOR, 255)
    _device("/dev/nvidia-uvm", 235, 0)
    driver = state / "driver"
    accelerator = found["accelerator"]
    assert isinstance(accelerator, dict)
    for index in range(count):
        folder = driver / "nvidia" / "gpus" / hardware.pci_address(index)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "information").write_text(
            f"Model: \t\t NVIDIA {accelerator['model']}\n"
            "IRQ:   \t\t 211\n"
            f"GPU UUID: \t {hardware.uuid(index)}\n"
            "Bus Type: \t PCIe\n"
            f"Bus Location: \t {hardware.pci_address(index)}\n"
            f"Device Minor: \t {index}\n"
            "GPU Excluded:\t No\n"
        )
    (driver / "nvidia" / "version").write_text(
        f"NVRM version: NVIDIA UNIX x86_64 Kernel Module  {accelerator['driver']}  emulated\n"
    )
    if not os.path.ismount("/proc/driver"):
        _run("mount", "--bind", str(driver), "/proc/driver")
    # Slurm's gpu/nvidia plugin also reads this folder, and crashes with a segmentation fault if it
    # is empty (24.11.5).
    drivers = state / "pci"
    for index in range(count):
        folder = drivers / "upper" / "nvidia" / hardware.pci_address(index)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "local_cpulist").write_text(f"0-{max(0, int(str(found['cpus'])) - 1)}\n")
    _overlay("/sys/bus/pci/drivers", "/sys/bus/pci/drivers", drivers)


def _neuron(state: Path, count: int) -> None:
    lost = (hardware.fault("neuron-lost") or "").split()
    for index in (number for number in range(count) if str(number) not in lost):
        _device(f"/dev/neuron{index}", _NEURON_MAJOR, index)
    version = state / "module" / "upper" / "neuron" / "version"
    version.parent.mkdir(parents=True, exist_ok=True)
    version.write_text("emulated\n")
    _overlay("/sys/module", "/sys/module", state / "module")


def _classes(state: Path, found: dict[str, Any], neuron: int) -> None:
    efa, disks = int(found["efa"]), int(found["nvme"]["count"])
    own = state / "sysfs"
    own.mkdir(exist_ok=True)
    if not os.path.ismount(own):
        _run("mount", "-t", "sysfs", "sysfs", str(own))
    classes = state / "class"
    for index in range(efa):
        _efa_interface(classes / "upper" / "infiniband" / f"rdmap{79 + index}s0")
        _device(f"/dev/infiniband/uverbs{index}", 231, 192 + index)
    for number in range(1, disks + 1):
        _disk(classes / "upper" / "nvme" / f"nvme{number}", found["nvme"].get("gb") or 1)
    virtual = state / "virtual"
    for index in range(neuron):
        folder = classes / "upper" / "neuron_device" / f"neuron{index}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "core_count").write_text("2\n")
        counters = virtual / "upper" / "neuron_device" / f"neuron{index}" / "stats" / "hardware"
        counters.mkdir(parents=True, exist_ok=True)
        for name in _NEURON_COUNTERS:
            (counters / name).write_text("0\n")
    # Where Nitro has the instance id.
    tag = virtual / "upper" / "dmi" / "id" / "board_asset_tag"
    tag.parent.mkdir(parents=True, exist_ok=True)
    tag.write_text(f"{found['instance_id']}\n")
    if efa or neuron or disks:
        _overlay(str(own / "class"), "/sys/class", classes)
    _overlay(str(own / "devices/virtual"), "/sys/devices/virtual", virtual)


def _disk(folder: Path, gb: int) -> None:
    """An instance-store disk; nvme0 would be the root volume, which is an EBS volume."""
    namespace = folder / f"{folder.name}n1"
    namespace.mkdir(parents=True, exist_ok=True)
    (folder / "model").write_text("Amazon EC2 NVMe Instance Storage        \n")
    (namespace / "size").write_text(f"{gb * 10**9 // 512}\n")


def _efa_interface(folder: Path) -> None:
    port = folder / "ports" / "1"
    texts = {
        folder / "device" / "vendor": "0x1d0f",
        folder / "device" / "device": "0xefa2",
        folder / "node_desc": "EFA",
        folder / "fw_ver": "emulated",
        folder / "hca_type": "EFA",
        folder / "board_id": "emulated",
        folder / "node_guid": "fe80:0000:0000:0000",
        port / "state": "4: ACTIVE",
        port / "phys_state": "5: LinkUp",
        port / "rate": "100 Gb/sec (4X EDR)",
        port / "counters" / "port_rcv_data": "0",
        **{port / "hw_counters" / name: "0" for name in _COUNTERS},
    }
    for path, text in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n")


def _overlay(lower: str, target: str, folder: Path) -> None:
    (folder / "upper").mkdir(parents=True, exist_ok=True)
    (folder / "work").mkdir(exist_ok=True)
    if not os.path.ismount(target):
        options = f"lowerdir={lower},upperdir={folder}/upper,workdir={folder}/work"
        _run("mount", "-t", "overlay", "emulated", "-o", options, target)


def _device(path: str, major: int, minor: int) -> None:
    if not os.path.lexists(path):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        os.mknod(path, 0o666 | stat.S_IFCHR, os.makedev(major, minor))
        os.chmod(path, 0o666)


def _run(*argv: str) -> None:
    subprocess.run(argv, check=True)


main()
