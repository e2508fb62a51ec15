"""NVIDIA GPUs, from nvidia-smi and, if its daemon answers, from DCGM.

Metrics of nvidia-smi are `gpu_*`; those of DCGM have DCGM's names, as in dcgm-exporter, so that
its dashboards show them.

Source: nvidia-smi's own `--help-query-gpu` for the names asked for; NVIDIA's dcgm_fields.h for
the numbers of fields, dcgm-exporter's etc/dcp-metrics-included.csv for kinds and meanings (both
read 2026-11-21); DCGM user guide for the table of `dcgmi dmon`, whose columns have the order of
`-e`. The header gives the thermal violation in microseconds, in newer releases
in nanoseconds: only its growth is comparable.
"""

from __future__ import annotations

import re

from clusterwright_common.probe import Probe, ProbeError

from clusterwright_metrics.text import Metrics, number

ROLES = ("compute", "login")

_MIB = 1024.0 * 1024.0
# nvidia-smi's field, our name, unit's factor, meaning.
_FIELDS = (
    (
        "utilization.gpu",
        "gpu_utilization_ratio",
        0.01,
        "Share of time in which a kernel was running.",
    ),
    ("memory.total", "gpu_memory_total_bytes", _MIB, "Memory."),
    ("memory.used", "gpu_memory_used_bytes", _MIB, "Memory in use."),
    ("temperature.gpu", "gpu_temperature_celsius", 1.0, "Temperature of the core."),
    ("power.draw", "gpu_power_watts", 1.0, "Power draw."),
    ("clocks.sm", "gpu_sm_clock_hertz", 1e6, "Clock of the multiprocessors."),
    ("pcie.link.width.current", "gpu_pcie_lanes", 1.0, "PCIe lanes in use."),
)
_COUNTERS = (
    (
        "ecc.errors.corrected.volatile.total",
        "gpu_ecc_corrected_total",
        "Corrected memory errors since the driver was loaded.",
    ),
    (
        "ecc.errors.uncorrected.volatile.total",
        "gpu_ecc_uncorrected_total",
        "Uncorrected memory errors since the driver was loaded.",
    ),
)
_DCGM = (
    (100, "DCGM_FI_DEV_SM_CLOCK", "gauge", "SM clock frequency (in MHz)."),
    (140, "DCGM_FI_DEV_MEMORY_TEMP", "gauge", "Memory temperature (in C)."),
    (150, "DCGM_FI_DEV_GPU_TEMP", "gauge", "GPU temperature (in C)."),
    (155, "DCGM_FI_DEV_POWER_USAGE", "gauge", "Power draw (in W)."),
    (156, "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", "counter", "Energy since boot (in mJ)."),
    (202, "DCGM_FI_DEV_PCIE_REPLAY_COUNTER", "counter", "PCIe retries."),
    (203, "DCGM_FI_DEV_GPU_UTIL", "gauge", "GPU utilization (in %)."),
    (204, "DCGM_FI_DEV_MEM_COPY_UTIL", "gauge", "Memory utilization (in %)."),
    (230, "DCGM_FI_DEV_XID_ERRORS", "gauge", "Value of the last XID error encountered."),
    (241, "DCGM_FI_DEV_THERMAL_VIOLATION", "counter", "Time throttled by heat."),
    (251, "DCGM_FI_DEV_FB_FREE", "gauge", "Framebuffer memory free (in MiB)."),
    (252, "DCGM_FI_DEV_FB_USED", "gauge", "Framebuffer memory used (in MiB)."),
    (393, "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS", "counter", "Rows, uncorrectable errors."),
    (394, "DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS", "counter", "Rows, correctable errors."),
    (395, "DCGM_FI_DEV_ROW_REMAP_FAILURE", "gauge", "Whether remapping of rows has failed."),
    (409, "DCGM_FI_DEV_NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL", "counter", "NVLink CRC errors."),
    (449, "DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL", "counter", "NVLink bandwidth, all lanes."),
    (1001, "DCGM_FI_PROF_GR_ENGINE_ACTIVE", "gauge", "Ratio of time the engine is active."),
    (1002, "DCGM_FI_PROF_SM_ACTIVE", "gauge", "Ratio of cycles an SM has a warp assigned."),
    (1004, "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", "gauge", "Ratio of cycles of the tensor pipe."),
    (1005, "DCGM_FI_PROF_DRAM_ACTIVE", "gauge", "Ratio of cycles of the memory interface."),
)
_COUNT = "GPUs that nvidia-smi lists."
_ROW = re.compile(r"^\s*GPU[ -]?(\d+)\s+(.*)$")


def collect(probe: Probe, metrics: Metrics) -> None:
    if not probe.has("nvidia-smi") or not _has_driver(probe):
        return
    names = [field[0] for field in _FIELDS] + [counter[0] for counter in _COUNTERS]
    asked = ",".join(["index", "uuid", *names])
    try:
        text = probe.output(
            ["nvidia-smi", f"--query-gpu={asked}", "--format=csv,noheader,nounits"]
        )
    except ProbeError:
        _count_listed(probe, metrics)
        raise
    rows = [[cell.strip() for cell in line.split(",")] for line in text.splitlines() if line]
    uuids = {}
    for row in rows:
        if len(row) != len(names) + 2:
            raise ProbeError("the output of nvidia-smi has an unknown format")
        labels = {"gpu": row[0], "uuid": row[1]}
        uuids[row[0]] = row[1]
        values = dict(zip(names, row[2:]))
        for name, ours, factor, about in _FIELDS:
            value = number(values[name])
            metrics.add(ours, "gauge", about, None if value is None else value * factor, labels)
        for name, ours, about in _COUNTERS:
            metrics.add(ours, "counter", about, number(values[name]), labels)
    metrics.add("gpu_count", "gauge", _COUNT, float(len(rows)))
    if probe.has("dcgmi"):
        _dcgm(probe, metrics, uuids)


def _count_listed(probe: Probe, metrics: Metrics) -> None:
    """Add the number of GPUs that are still listed: a query of all fails if one is lost."""
    listed = probe.run(["nvidia-smi", "--list-gpus"], 5.0)
    if listed.ok:
        count = sum(line.startswith("GPU ") for line in listed.stdout.splitlines())
        metrics.add("gpu_count", "gauge", _COUNT, float(count))


def _has_driver(probe: Probe) -> bool:
    """Images for GPUs also have nvidia-smi on nodes without GPUs, where it fails."""
    return probe.is_folder("/proc/driver/nvidia")


def _dcgm(probe: Probe, metrics: Metrics, uuids: dict[str, str]) -> None:
    """Collect from DCGM; nothing without its daemon."""
    numbers = ",".join(str(field[0]) for field in _DCGM)
    try:
        lines = probe.output(["dcgmi", "dmon", "-e", numbers, "-c", "1"]).splitlines()
    except ProbeError:
        lines = []
    rows = 0
    for line in lines:
        match = _ROW.match(line)
        words = match.group(2).split() if match else []
        if match is None or len(words) != len(_DCGM):
            continue
        rows += 1
        labels = {"gpu": match.group(1), "UUID": uuids.get(match.group(1), "")}
        for (_, name, kind, about), word in zip(_DCGM, words):
            metrics.add(name, kind, about, number(word), labels)
    metrics.add("dcgm_up", "gauge", "Return whether DCGM reported a GPU.", float(rows > 0))
