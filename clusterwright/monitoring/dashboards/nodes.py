"""Nodes and their accelerators."""

from __future__ import annotations

from clusterwright.monitoring.facts import Facts
from clusterwright.monitoring.panels import Dashboard, Panel, Query, Row, stat
from clusterwright.monitoring.selectors import growth, on_nodes, rate

_GPU = "{{node}} GPU {{gpu}}"
_NEURON = "{{node}} device {{device}}"
_DCGM = " Needs DCGM's daemon on the node."


def dashboard(facts: Facts) -> Dashboard:
    """Processors, memory, disks, GPUs or Neuron devices of nodes."""
    return Dashboard(
        name="nodes",
        title="Nodes and accelerators",
        description="Processors, memory and disks of each node, and each of its accelerators.",
        variables=("group", "node"),
        rows=(_host(), _gpu_work(), _gpu_state(), _gpu_errors(), _neuron()),
    )


def _host() -> Row:
    cpu = rate(on_nodes("node_cpu_seconds_total", 'mode!="idle"'))
    boot = on_nodes("node_boot_time_seconds")
    available = on_nodes("node_memory_MemAvailable_bytes")
    total = on_nodes("node_memory_MemTotal_bytes")
    return Row(
        "Host",
        (
            Panel("Busy processors", "Processors' time that was not idle, by mode, sum of the"
                  " nodes: 1 is one processor.", "short",
                  (Query(f"sum by (mode) ({cpu})", "{{mode}}"),), stacked=True),
            Panel("Load", "Load average of one minute.", "short",
                  (Query(on_nodes("node_load1"), "{{node}}"),)),
            Panel("Memory in use", "Share of the memory that is not available.", "percentunit",
                  (Query(f"1 - {available} / {total}", "{{node}}"),), maximum=1, warn_at=0.9),
            Panel("Local disks", "Bytes read and written per second.", "Bps",
                  (Query(f"sum by (node) ({rate(on_nodes('node_disk_read_bytes_total'))})",
                         "{{node}} read"),
                   Query(f"sum by (node) ({rate(on_nodes('node_disk_written_bytes_total'))})",
                         "{{node}} written"))),
            Panel("Time since the start", "Nodes that started again are at zero.", "s",
                  (Query(f"time() - {boot}", "{{node}}"),)),
            Panel("Time of scrapes", "Duration of the collection by the slowest source.", "s",
                  (Query(f"max by (node) ({on_nodes('clusterwright_source_seconds')})",
                         "{{node}}"),), warn_at=5, alarm_at=8),
        ),
    )  # fmt: skip


def _gpu_work() -> Row:
    util = on_nodes("DCGM_FI_DEV_GPU_UTIL")
    tensor = on_nodes("DCGM_FI_PROF_PIPE_TENSOR_ACTIVE")
    waiting = f"count({util} > 95 and on (node, gpu) {tensor} < 0.01) or vector(0)"
    return Row(
        "GPUs: work",
        (
            stat("GPUs that only wait",
                 "Use above 95 % while the tensor pipe is active in less than 1 % of cycles, as in"
                 " a collective that hangs." + _DCGM, "short", Query(waiting), alarm_at=1,
                 width=24),
            Panel("Use", "Share of time in which a kernel was running.", "percentunit",
                  (Query(on_nodes("gpu_utilization_ratio"), _GPU),), maximum=1),
            Panel("Tensor pipe", "Share of cycles in which it was active." + _DCGM, "percentunit",
                  (Query(tensor, _GPU),), maximum=1),
            Panel("Multiprocessors", "Share of cycles in which a multiprocessor had a warp."
                  + _DCGM, "percentunit", (Query(on_nodes("DCGM_FI_PROF_SM_ACTIVE"), _GPU),),
                  maximum=1),
            Panel("Memory interface", "Share of cycles in which it was active." + _DCGM,
                  "percentunit", (Query(on_nodes("DCGM_FI_PROF_DRAM_ACTIVE"), _GPU),),
                  maximum=1),
            Panel("Memory in use", "Memory of the GPU that is allocated.", "bytes",
                  (Query(on_nodes("gpu_memory_used_bytes"), _GPU),)),
        ),
    )  # fmt: skip


def _gpu_state() -> Row:
    return Row(
        "GPUs: power, temperature and clocks",
        (
            Panel("Power", "Power draw of each GPU.", "watt",
                  (Query(on_nodes("gpu_power_watts"), _GPU),)),
            Panel("Temperature", "Temperature of the core.", "celsius",
                  (Query(on_nodes("gpu_temperature_celsius"), _GPU),)),
            Panel("Temperature of the memory", "Temperature of the memory." + _DCGM, "celsius",
                  (Query(on_nodes("DCGM_FI_DEV_MEMORY_TEMP"), _GPU),)),
            Panel("Clock", "Clock of the multiprocessors; a GPU that is slower than its neighbours"
                  " slows down all of them.", "hertz",
                  (Query(on_nodes("gpu_sm_clock_hertz"), _GPU),)),
        ),
    )  # fmt: skip


def _gpu_errors() -> Row:
    return Row(
        "GPUs: errors",
        (
            Panel("Uncorrected memory errors", "Since the driver was loaded.", "short",
                  (Query(f"{on_nodes('gpu_ecc_uncorrected_total')} > 0", _GPU),), alarm_at=1),
            Panel("Last Xid", "The code of the last Xid error; 0 is none. It does not show how"
                  " often an error came, nor clears it when the GPU recovers." + _DCGM, "short",
                  (Query(f"{on_nodes('DCGM_FI_DEV_XID_ERRORS')} > 0", _GPU),), alarm_at=1),
            Panel("Failed row remapping", "1 if a row of the memory could not be remapped: the GPU"
                  " is to be replaced." + _DCGM, "short",
                  (Query(f"{on_nodes('DCGM_FI_DEV_ROW_REMAP_FAILURE')} > 0", _GPU),), alarm_at=1),
            Panel("Remapped rows", "Rows that were remapped after uncorrectable errors." + _DCGM,
                  "short",
                  (Query(f"{on_nodes('DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS')} > 0", _GPU),),
                  warn_at=1),
            Panel("PCIe", "Lanes in use; fewer than the GPU has are a fault.", "short",
                  (Query(f"min by (node) ({on_nodes('gpu_pcie_lanes')})", "{{node}}"),)),
            Panel("PCIe retries", "Retries of PCIe packets." + _DCGM, "short",
                  (Query(growth(on_nodes("DCGM_FI_DEV_PCIE_REPLAY_COUNTER")), _GPU),), warn_at=1),
        ),
    )  # fmt: skip


def _neuron() -> Row:
    core = "{{node}} device {{device}} core {{core}}"
    failed = rate(on_nodes("neuron_calls_total", 'status!="success"'))
    return Row(
        "Neuron devices",
        (
            Panel("Operations", "Floating point operations per second, sum of the cores of a"
                  " device.", "ops",
                  (Query(f"sum by (node, device) ({rate(on_nodes('neuron_flops_total'))})",
                         _NEURON),)),
            Panel("Memory in use", "Device memory in use by each core.", "bytes",
                  (Query(on_nodes("neuron_device_memory_used_bytes"), core),)),
            Panel("Failed calls", "Calls of the runtime per second that did not succeed, by"
                  " status.", "ops", (Query(f"sum by (node, status) ({failed})",
                                            "{{node}} {{status}}"),), warn_at=0.001),
            Panel("Power", "Mean power of the last minute, of the most.", "percentunit",
                  (Query(on_nodes("neuron_power_utilization_ratio"), _NEURON),), maximum=1),
            Panel("Uncorrected memory errors", "Errors of device memory and of SRAM.", "short",
                  (Query(f"{on_nodes('neuron_mem_ecc_uncorrected_total')} > 0",
                         _NEURON + " memory"),
                   Query(f"{on_nodes('neuron_sram_ecc_uncorrected_total')} > 0",
                         _NEURON + " SRAM")), alarm_at=1),
        ),
    )  # fmt: skip
