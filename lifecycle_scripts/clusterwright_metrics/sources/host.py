"""Processors, memory, disks, network interfaces and file systems of the host.

Names, labels and units are those of Prometheus' node_exporter, so that its dashboards show them.
Source of the files' forms: Linux, Documentation/filesystems/proc.rst, admin-guide/iostats.rst.
"""

from __future__ import annotations

import os
import re

from clusterwright_common.probe import Probe

from clusterwright_metrics.text import Metrics, number

ROLES = ("controller", "login", "compute")

_TICKS_PER_SECOND = float(os.sysconf("SC_CLK_TCK")) if hasattr(os, "sysconf") else 100.0
_SECTOR_BYTES = 512.0
_MODES = ("user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal")
_MEMORY = (
    "MemTotal", "MemFree", "MemAvailable", "Buffers", "Cached", "Shmem", "SwapTotal", "SwapFree",
)  # fmt: skip
_REMOTE = ("lustre", "nfs", "nfs4", "fuse.mount-s3")
_LOCAL = ("ext4", "xfs", "btrfs", "zfs", "vfat", "overlay", "tmpfs")
_NOT_SHOWN = re.compile(r"^/(dev|proc|sys|run|snap)(/|$)")
_VIRTUAL_DISK = re.compile(r"^(loop|ram|fd|sr)\d")


def collect(probe: Probe, metrics: Metrics) -> None:
    _processors(probe, metrics)
    _memory(probe, metrics)
    _disks(probe, metrics)
    _interfaces(probe, metrics)
    _file_systems(probe, metrics)


def _processors(probe: Probe, metrics: Metrics) -> None:
    loads = (probe.read("/proc/loadavg") or "").split()
    for name, text in zip(("node_load1", "node_load5", "node_load15"), loads):
        metrics.add(name, "gauge", "Load average.", number(text))
    for line in (probe.read("/proc/stat") or "").splitlines():
        words = line.split()
        if not words:
            continue
        if re.fullmatch(r"cpu\d+", words[0]):
            for mode, text in zip(_MODES, words[1:]):
                ticks = number(text)
                metrics.add(
                    "node_cpu_seconds_total",
                    "counter",
                    "Seconds that a processor spent in each mode.",
                    None if ticks is None else ticks / _TICKS_PER_SECOND,
                    {"cpu": words[0][3:], "mode": mode},
                )
        elif words[0] == "btime":
            metrics.add(
                "node_boot_time_seconds", "gauge", "Start of the machine.", number(words[1])
            )


def _memory(probe: Probe, metrics: Metrics) -> None:
    for line in (probe.read("/proc/meminfo") or "").splitlines():
        match = re.fullmatch(r"(\w+):\s+(\d+) kB", line.strip())
        if match and match.group(1) in _MEMORY:
            metrics.add(
                f"node_memory_{match.group(1)}_bytes",
                "gauge",
                f"{match.group(1)} of /proc/meminfo.",
                float(match.group(2)) * 1024,
            )


def _disks(probe: Probe, metrics: Metrics) -> None:
    whole = set(probe.names("/sys/block"))
    for line in (probe.read("/proc/diskstats") or "").splitlines():
        words = line.split()
        # Partitions are counted in their disk.
        if len(words) < 14 or words[2] not in whole or _VIRTUAL_DISK.match(words[2]):
            continue
        for name, about, column, factor in (
            ("node_disk_reads_completed_total", "Reads that were completed.", 3, 1.0),
            ("node_disk_read_bytes_total", "Bytes read.", 5, _SECTOR_BYTES),
            ("node_disk_writes_completed_total", "Writes that were completed.", 7, 1.0),
            ("node_disk_written_bytes_total", "Bytes written.", 9, _SECTOR_BYTES),
            ("node_disk_io_time_seconds_total", "Seconds with requests in progress.", 12, 0.001),
        ):
            value = number(words[column])
            metrics.add(
                name,
                "counter",
                about,
                None if value is None else value * factor,
                {"device": words[2]},
            )


def _interfaces(probe: Probe, metrics: Metrics) -> None:
    columns = (
        ("receive_bytes", 0), ("receive_packets", 1), ("receive_errs", 2), ("receive_drop", 3),
        ("transmit_bytes", 8), ("transmit_packets", 9), ("transmit_errs", 10),
        ("transmit_drop", 11),
    )  # fmt: skip
    for line in (probe.read("/proc/net/dev") or "").splitlines()[2:]:
        device, _, rest = line.partition(":")
        words = rest.split()
        for name, column in columns:
            metrics.add(
                f"node_network_{name}_total",
                "counter",
                f"{name} of /proc/net/dev.",
                number(words[column]) if len(words) > column else None,
                {"device": device.strip()},
            )


def _file_systems(probe: Probe, metrics: Metrics) -> None:
    seen = set()
    # Mounts of the first process: in the sandbox of the service everything is read-only.
    mounts = probe.read("/proc/1/mounts") or probe.read("/proc/self/mounts") or ""
    for line in mounts.splitlines():
        words = line.split()
        if len(words) < 4:
            continue
        device, point, kind = words[0], _unescaped(words[1]), words[2]
        if kind not in (*_REMOTE, *_LOCAL) or _NOT_SHOWN.match(point) or point in seen:
            continue
        # Every container has an overlay, whose space is that of the disk below.
        if kind == "overlay" and point != "/":
            continue
        seen.add(point)
        labels = {"device": device, "fstype": kind, "mountpoint": point}
        found = probe.space(point, is_remote=kind in _REMOTE)
        metrics.add(
            "node_filesystem_device_error",
            "gauge",
            "Whether reading the space of the file system failed.",
            float(found is None),
            labels,
        )
        metrics.add(
            "node_filesystem_readonly",
            "gauge",
            "Whether it is mounted read-only.",
            float("ro" in words[3].split(",")),
            labels,
        )
        if found is None:
            continue
        for name, value in (
            ("size_bytes", found.size_bytes),
            ("avail_bytes", found.available_bytes),
            ("files", found.files),
            ("files_free", found.files_free),
        ):
            metrics.add(f"node_filesystem_{name}", "gauge", f"{name} (statvfs).", value, labels)


def _unescaped(text: str) -> str:
    """Decode a path of /proc/mounts, which has spaces and some other characters in octal."""
    return re.sub(r"\\([0-7]{3})", lambda match: chr(int(match.group(1), 8)), text)
