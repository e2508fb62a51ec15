"""Tests of host."""

from __future__ import annotations

import time

from clusterwright_metrics.sources import host
from clusterwright_metrics.text import Metrics, exposition

from tests.nodes.metrics.fake_node import (
    Machine,
    at,
    parsed,
)


def test_host_metrics_are_read(machine: Machine) -> None:
    machine.file("/proc/loadavg", "0.50 0.25 0.10 1/200 4242\n")
    machine.file("/proc/stat", "cpu  10 0 0 0\ncpu0 200 0 100 700 0 0 0 0\nbtime 1700000000\n")
    machine.file(
        "/proc/meminfo", "MemTotal:  2048 kB\nMemAvailable:  1024 kB\nShmem: 4 kB\nHugePages: 0\n"
    )
    machine.file("/proc/net/dev", "head\nhead\n  ens5: 10 1 0 0 0 0 0 0 20 2 0 0 0 0 0 0\n")
    (machine.root / "sys/block/nvme0n1").mkdir(parents=True)
    machine.file(
        "/proc/diskstats",
        "259 0 nvme0n1 5 0 8 1 6 0 16 1 0 1500 2\n259 1 nvme0n1p1 5 0 8 1 6 0 16 1 0 1500 2\n",
    )
    mounts = ("/dev/root / ext4 rw 0 0", "fs@tcp:/m /fsx lustre rw 0 0", "proc /proc proc rw 0 0")
    mounts += ("overlay /var/lib/x overlay rw 0 0", "tmpfs /run tmpfs rw 0 0")
    machine.file("/proc/1/mounts", "\n".join([*mounts, "/dev/nvme1n1 /old\\040disk xfs ro 0 0"]))
    # The view of the service in its sandbox.
    machine.file("/proc/self/mounts", "/dev/root / ext4 ro 0 0\n")
    (machine.root / "old disk").mkdir()
    (machine.root / "fsx").mkdir()
    found = machine.samples(host)
    assert at(found, "node_load1") == 0.5
    assert at(found, "node_memory_MemAvailable_bytes") == 1024 * 1024
    assert at(found, "node_memory_Shmem_bytes") == 4096
    assert at(found, "node_cpu_seconds_total", cpu="0", mode="idle") == 7.0
    assert at(found, "node_boot_time_seconds") == 1_700_000_000
    assert at(found, "node_network_transmit_bytes_total", device="ens5") == 20
    assert at(found, "node_disk_written_bytes_total", device="nvme0n1") == 16 * 512
    assert at(found, "node_disk_io_time_seconds_total", device="nvme0n1") == 1.5
    assert not any("nvme0n1p1" in str(key) for key in found)
    lustre_labels = {"device": "fs@tcp:/m", "fstype": "lustre", "mountpoint": "/fsx"}
    assert at(found, "node_filesystem_size_bytes", **lustre_labels) > 0
    assert at(found, "node_filesystem_device_error", **lustre_labels) == 0
    points = {dict(key[1]).get("mountpoint") for key in found}
    assert points == {None, "/", "/fsx", "/old disk"}
    read_only = {
        dict(labels)["mountpoint"]: value
        for (name, labels), value in found.items()
        if name == "node_filesystem_readonly"
    }
    assert read_only == {"/": 0, "/fsx": 0, "/old disk": 1}


def test_a_file_system_that_hangs_does_not_affect_others(machine: Machine) -> None:
    machine.file("/proc/loadavg", "1 1 1 1/1 1\n")
    machine.file("/proc/self/mounts", "a /fsx lustre rw 0 0\n")
    machine.command("stat", "sleep 60")
    metrics = Metrics()
    began = time.monotonic()
    host.collect(machine.probe(seconds=0.5), metrics)
    assert time.monotonic() - began < 30
    found = parsed(exposition([metrics]))
    labels = {"device": "a", "fstype": "lustre", "mountpoint": "/fsx"}
    assert at(found, "node_filesystem_device_error", **labels) == 1
    assert at(found, "node_load1") == 1
