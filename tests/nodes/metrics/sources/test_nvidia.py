"""Tests of nvidia."""

from __future__ import annotations

import pytest
from clusterwright_common.probe import ProbeError
from clusterwright_metrics.sources import nvidia
from clusterwright_metrics.text import Metrics

from tests.nodes.metrics.fake_node import (
    SMI,
    Machine,
    at,
)


def test_gpu_metrics_are_read_from_nvidia_smi(machine: Machine) -> None:
    machine.file("/proc/driver/nvidia/version", "570\n")
    machine.says("nvidia-smi", SMI + "\n")
    found = machine.samples(nvidia)
    assert at(found, "gpu_count") == 8
    assert at(found, "gpu_utilization_ratio", gpu="0", uuid="GPU-0") == pytest.approx(0.97)
    assert at(found, "gpu_memory_used_bytes", gpu="7", uuid="GPU-7") == 1024 * 2**20
    assert at(found, "gpu_ecc_uncorrected_total", gpu="3", uuid="GPU-3") == 2
    assert not any(name.startswith("DCGM") for name, _ in found)


def test_unsupported_gpu_values_are_omitted(machine: Machine) -> None:
    machine.file("/proc/driver/nvidia/version", "570\n")
    machine.says("nvidia-smi", "0, GPU-0, [N/A], 15360, 0, 30, [Not Supported], 1, 8, 0, [N/A]\n")
    found = machine.samples(nvidia)
    assert at(found, "gpu_memory_total_bytes", gpu="0", uuid="GPU-0") == 15360 * 2**20
    names = {name for name, _ in found}
    assert not names & {"gpu_power_watts", "gpu_utilization_ratio", "gpu_ecc_uncorrected_total"}


def test_dcgm_metrics_are_read_if_available(machine: Machine) -> None:
    machine.file("/proc/driver/nvidia/version", "570\n")
    machine.says("nvidia-smi", SMI + "\n")
    values = ["1980", "50", "45", "350.2", "12345", "0", "97", "20", "0", "6", "70000"]
    values += ["1024", "0", "0", "0", "7", "N/A", "0.970", "0.900", "0.450", "0.300"]
    rows = "\n".join(f"GPU {n}     " + "   ".join(values) for n in range(8))
    machine.says("dcgmi", f"#Entity   SMCLK  MMTMP ...\nID\n{rows}\n")
    found = machine.samples(nvidia)
    assert at(found, "dcgm_up") == 1
    labels = {"gpu": "5", "UUID": "GPU-5"}
    assert at(found, "DCGM_FI_DEV_GPU_TEMP", **labels) == 45
    assert at(found, "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", **labels) == 0.45
    # The client library adds the suffix of counters to their names.
    assert at(found, "DCGM_FI_DEV_THERMAL_VIOLATION_total", **labels) == 6
    assert at(found, "DCGM_FI_DEV_NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL_total", **labels) == 7
    assert not any(name == "DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL" for name, _ in found)


def test_other_samples_remain_without_dcgm(machine: Machine) -> None:
    machine.file("/proc/driver/nvidia/version", "570\n")
    machine.says("nvidia-smi", SMI + "\n")
    machine.command("dcgmi", "echo 'Error: unable to establish a connection' >&2; exit 255")
    found = machine.samples(nvidia)
    assert at(found, "dcgm_up") == 0
    assert at(found, "gpu_count") == 8


@pytest.mark.parametrize(
    ("script", "says"),
    [
        ("echo 'Unable to determine the device handle for GPU3' >&2; exit 15", "GPU3"),
        ("echo something else", "unknown format"),
        ("sleep 60", "did not respond"),
    ],
)
def test_a_failing_nvidia_smi_is_reported(machine: Machine, script: str, says: str) -> None:
    machine.file("/proc/driver/nvidia/version", "570\n")
    machine.command("nvidia-smi", script)
    with pytest.raises(ProbeError, match=says):
        nvidia.collect(machine.probe(seconds=0.5), Metrics())


def test_gpus_are_counted_if_one_of_them_is_lost(machine: Machine) -> None:
    """nvidia-smi then answers no query of all GPUs, but lists the others."""
    machine.file("/proc/driver/nvidia/version", "570\n")
    listed = "".join(f"GPU {n}: NVIDIA H100 (UUID: GPU-{n})\n" for n in range(7))
    machine.file("/said/listed", listed)
    machine.command(
        "nvidia-smi",
        f'case "$1" in --list-gpus) cat {machine.root}/said/listed ;;'
        " *) echo 'Unable to determine the device handle for GPU7' >&2; exit 15 ;; esac",
    )
    found = Metrics()
    with pytest.raises(ProbeError, match="GPU7"):
        nvidia.collect(machine.probe(), found)
    (sample,) = found.families["gpu_count"].samples
    assert sample == ((), 7.0)


def test_node_without_gpus_has_no_samples(machine: Machine) -> None:
    machine.command("nvidia-smi", "echo 'has failed' >&2; exit 9")
    assert machine.samples(nvidia) == {}
