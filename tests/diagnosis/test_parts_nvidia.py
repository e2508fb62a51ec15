"""Programs of NVIDIA and the driver's kernel module by the words of their messages."""

from __future__ import annotations

import pytest

from clusterwright.diagnosis import parts_nvidia
from clusterwright.diagnosis.signatures.programs import KNOWN
from tests.diagnosis.made import findings, of_log

CASES = (
    (
        "nvidia-persistenced[1118]: Failed to query NVIDIA devices. Please ensure"
        " that the NVIDIA device files (/dev/nvidia*) exist",
        "no device files",
    ),
    (
        "nvidia-persistenced[1405]: NUMA: Failed to open /sys/devices/system/memo"
        "ry/auto_online_blocks: Permission denied",
        "memory online",
    ),
    (
        "nvidia-persistenced[1]: Failed to lock PID file: Resource temporarily unavailable",
        "PID file or socket",
    ),
    (
        "Err: Failed to start DCGM Server: -7",
        "host engine does not start",
    ),
    (
        'dcgm-exporter: level=error err="DCGM_ST_GPU_IS_LOST"',
        "is lost or needs a reset",
    ),
    (
        'dcgm-exporter: level=error msg="Failed to connect to remote hostengine"',
        "is not reached",
    ),
    (
        "dcgmi: Error: DCGM_ST_REQUIRES_ROOT",
        "privileges",
    ),
    (
        "dcgm-exporter: Could not read metrics file '/etc/x.csv'",
        "list of metrics",
    ),
    (
        "Could not resolve Linux kernel version",
        "no headers of the node's kernel",
    ),
    (
        "Could not unload NVIDIA driver kernel modules, driver is in use",
        "programs still use the GPUs",
    ),
    (
        "Failed to find NVIDIA driver source, exiting.",
        "does not build or load",
    ),
    (
        "E0201 10:00:00.0 1 mig.go:22] Invalid configuration detected for mig-str"
        "ategy=single: two types",
        "MIG strategy",
    ),
    (
        "E0506 17:45:45.4 1 main.go:173] error starting plugins: failed to constr"
        "uct resource managers: invalid device discovery strategy",
        "container toolkit",
    ),
    (
        "nvidia-device-plugin: GRPC server for 'nvidia.com/gpu' has repeatedly cr"
        "ashed recently. Quitting",
        "register with the kubelet",
    ),
    (
        "nvidia-device-plugin: error: unable to load config",
        "a setting is not valid",
    ),
    (
        'level=error msg="Failed to apply MIG configuration: error applying MIG c'
        'onfig: In use by another client"',
        "MIG configuration of a node",
    ),
    (
        "level: error logger: controllers.ClusterPolicy msg: Failed to get kernel version using NFD",
        "Node Feature Discovery",
    ),
    (
        'level=error msg="GPU resources are not discovered by the node"',
        "reports no GPU",
    ),
    (
        'level=error msg="error validating the driver: driver is not ready: exit status 9"',
        "driver does not work on a node",
    ),
    (
        "controllers.ClusterPolicy Couldn't delete",
        "its own resources",
    ),
    (
        "nvidia-imex[2211]: Failed to connect to node 10.0.3.4 port 50000",
        "IMEX service does not run",
    ),
    (
        "nv-fabricmanager[9]: failed to train links of a trunk port",
        "a link or switch",
    ),
    (
        "nv-fabricmanager[9]: failed to find the GPU handle 123 in the multicast team request",
        "multicast",
    ),
)


@pytest.mark.parametrize(("line", "words"), CASES)
def test_message_is_of_its_part(line: str, words: str) -> None:
    assert words in (KNOWN.error(line) or "")


def test_every_part_has_a_message_here() -> None:
    said = [KNOWN.error(line) or "" for line, _ in CASES]
    for program in parts_nvidia.PROGRAMS:
        for part in program.parts:
            assert any(f"{program.name}: {part.wrong}" in one for one in said), part.wrong


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("NVRM: GPU6 _kgspBootGspRm: unexpected WPR2 already up, cannot boot GSP", "(GSP)"),
        ("NVRM: _memmgrGetFullMmuSparseFB: failed status 0x00000065", "does not answer in time"),
        ("NVRM: GspRmControl failed: hClient=0xc1d0; status=0x0000000f", "fallen off the bus"),
        ("NVRM: x: Assertion failed: Out of memory [NV_ERR_NO_MEMORY] from y", "is used up"),
        ("NVRM: This PCI I/O region assigned to your NVIDIA device is invalid:", "on PCI"),
    ],
)
def test_message_of_the_driver_is_of_its_status_or_place(line: str, words: str) -> None:
    (found,) = findings(*of_log(f"[ 33.1] {line}"))
    assert found.signature == "nvidia-driver"
    assert words in found.cause


@pytest.mark.parametrize(
    "line",
    [
        "NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64  570.195.03  Release Build",
        "NVRM: Xid (PCI:0000:9b:00): 43, pid=7, name=python, Ch 00000008",
        "NVRM: failed status 0x00000056 [NV_ERR_NOT_SUPPORTED]",
    ],
)
def test_what_the_driver_says_of_no_fault_is_none(line: str) -> None:
    assert parts_nvidia.driver({"said": line}) is None
