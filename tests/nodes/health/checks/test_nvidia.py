"""Tests of nvidia."""

from __future__ import annotations

import pytest

from tests.nodes.health.fake_node import HEALTHY, Machine, rows


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ("\n".join(HEALTHY.splitlines()[:7]), "gpu: 7 of 8 GPUs (replace)"),
        ("", "gpu: 0 of 8 GPUs (replace)"),
        (
            rows(gpu3=("3", "00000000:83:00.0", "4", "16", "16")),
            "gpu: GPU 3 (00000000:83:00.0): 4 uncorrected memory errors (replace)",
        ),
        (
            rows(gpu5=("5", "00000000:A3:00.0", "0", "8", "16")),
            "pcie: GPU 5 (00000000:A3:00.0): 8 of 16 lanes (reboot)",
        ),
        (
            rows(gpu5=("something", "else")),
            "gpu: the output of nvidia-smi has an unknown format (reboot)",
        ),
    ],
)
def test_gpus_are_checked(machine: Machine, table: str, expected: str) -> None:
    machine.gpus(table)
    assert expected in machine.findings()
    assert expected in machine.findings(quick=True)


def test_a_missing_value_is_not_a_finding(machine: Machine) -> None:
    machine.gpus(rows(gpu0=("0", "00000000:53:00.0", "[N/A]", "[N/A]", "[N/A]")))
    assert machine.findings() == []


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (
            "Unable to determine the device handle for GPU3: 00000000:83:00.0: Unknown Error",
            "(replace)",
        ),
        ("NVIDIA-SMI has failed because it couldn't communicate with the driver.", "(reboot)"),
    ],
)
def test_nvidia_smi_failure_is_quoted(machine: Machine, said: str, expected: str) -> None:
    machine.gpus(said, exit_code=15)
    (finding,) = machine.findings()
    assert finding == f"gpu: nvidia-smi: {said[:120]} {expected}"


def test_remapped_rows_are_found(machine: Machine) -> None:
    machine.gpus(HEALTHY, remapped="00000000:53:00.0, Yes, No\n00000000:63:00.0, 1, 1")
    assert machine.findings() == [
        "gpu: GPU 00000000:63:00.0: a row could not be remapped (replace)",
        "gpu: GPU 00000000:53:00.0: a row remapping is pending (reset)",
    ]
