"""Signatures of the family `gpu`, with messages as their sources write them."""

from __future__ import annotations

import pytest

from tests.diagnosis.made import findings, of_log, signature_of

CASES = (
    ("log", "NVRM: Xid (PCI:0000:b9:00): 48, pid=1, DBE", "xid-reboot"),
    ("log", "NVRM: Xid (PCI:0000:b9:00): 13, pid=1, Graphics Exception", "xid"),
    ("log", "NVRM: GPU 0000:b9:00.0: GPU has fallen off the bus.", "gpu-lost"),
    ("log", "DCGM_FR_FAULTY_MEMORY on GPU 3", "gpu-ecc"),
    ("log", "DCGM_FR_STRESS_LEVEL on GPU 3", "dcgm"),
    ("node-status", "The instance is not healthy.", "hardware"),
    (
        "log",
        "fabric manager config file item: DATABASE_PATH has an invalid value",
        "fabric-manager-configuration",
    ),
    (
        "log",
        '{"level":"error","msg":"Encountered FaultyInstance. Replace the Instance. Region: '
        'us-west-2, InstanceType: p4d.24xlarge. ERROR:Bandwidth has less than threshold"}',
        "deep-health-check",
    ),
    ("log", "DCGM check failed: GPU 3 memory", "deep-health-check"),
    ("log", "NCCL test failed: bandwidth 10 below 300 on node ip-10-0-0-1", "deep-health-check"),
    ("log", "InstanceStress check failed: GPU temperature", "deep-health-check"),
    ("log", "EFA test failed: bandwidth 10 of 100", "deep-health-check"),
    ("log", "Kernel panic - not syncing", "kernel-panic"),
    (
        "log",
        "Error: Unable to connect to host engine. Host engine connection invalid/disconnected.",
        "dcgm-host-engine",
    ),
    ("log", "Pending Page Blacklist           : Yes", "gpu-row-remap"),
    ("log", "Remapping Failure Occurred       : Yes", "gpu-ecc"),
    (
        "log",
        "request to query NVSwitch device information from NVSwitch driver failed",
        "fabric-manager-no-switch",
    ),
    ("log", "nvidia-smi: Failed to initialize NVML: Unknown Error", "container-lost-gpu"),
    (
        "log",
        "nvidia-container-cli: mount error: failed to add device rules: operation not permitted",
        "container-gpu-mount",
    ),
    (
        "log",
        "Error setting watches. Result: The third-party Profiling module returned an error",
        "dcgm-profiling",
    ),
    ("log", 'check {"event": "Test fail", "test": "pcie", "detail": "a replay"}', "dcgm-test"),
    ("log", "NVRM: installed in this system is not supported by the", "driver-unsupported"),
    ("log", "gdr_open error: Is gdrdrv driver installed and loaded?", "gpudirect"),
    ("log", "nvmlDeviceReset of the NVML: Insufficient Permissions", "nvml-error"),
    (
        "log",
        'Kernel module "ib_umad" has not been loaded, fabric manager cannot be started',
        "fabric-kernel-module",
    ),
    (
        "log",
        "nvlsm: ibwarn: [15] umad_init: can't read ABI version from /sys/class/infiniband_mad/"
        "abi_version (No such file or directory): is ib_umad module loaded?",
        "fabric-kernel-module",
    ),
)


@pytest.mark.parametrize(("kind", "text", "signature"), CASES)
def test_message_has_its_signature(kind: str, text: str, signature: str) -> None:
    assert signature_of(kind, text) == (signature,)


@pytest.mark.parametrize(
    "text",
    [
        "Pending                           : No",
        "Uncorrectable Error               : 0",
        "Uncorrectable Error               : 4",
        "Remapping Failure Occurred       : No",
        'msg="Not collecting DCP metrics: Error getting supported metrics: not supported"',
        "nv-fabricmanager: Successfully configured all the available NVSwitches",
        'Kernel module "ib_umad" is loaded, starting fabric manager',
    ],
)
def test_normal_messages_have_no_signature(text: str) -> None:
    assert signature_of("log", text) == ("unknown",)


@pytest.mark.parametrize(
    ("text", "signature"),
    [
        ("E: Unable to locate package linux-headers-6.5.0-1020-aws", "driver-headers"),
        ("ncclInternalError: Internal check failed.", "deep-health-check"),
        ("Error: Unable to find a match: kernel-devel-5.10.0-1.amzn2", "driver-headers"),
    ],
)
def test_similar_line_of_another_cause(text: str, signature: str) -> None:
    assert signature not in signature_of("log", text)


@pytest.mark.parametrize("module", ["nvidia_peermem", "nv_peer_mem", "gdrdrv"])
def test_symbols_of_one_module_are_one_finding(module: str) -> None:
    lines = "\n".join(
        f"[   9.1] {module}: {said} ib_{name}"
        for name in ("register_peer_memory_client", "unregister_peer_memory_client")
        for said in ("disagrees about version of symbol", "Unknown symbol")
    )
    (found,) = findings(*of_log(lines))
    assert found.signature == "gpudirect"
    assert "does not fit" in found.cause


def test_symbols_of_another_module_are_one_finding() -> None:
    lines = (
        "efa: disagrees about version of symbol ib_a\nefa: disagrees about version of symbol ib_b"
    )
    (found,) = findings(*of_log(lines))
    assert found.signature == "kernel-module"
    assert found.cause.endswith("efa: disagrees about version of symbol")


@pytest.mark.parametrize("module", ["gdrdrv/gdrdrv.ko", "nvidia-peermem.ko", "nv_peer_mem"])
def test_module_that_is_not_inserted_is_one_finding_with_its_symbols(module: str) -> None:
    text = f"insmod: ERROR: could not insert module {module}: Invalid parameters\n"
    name = module.rpartition("/")[2].partition(".")[0].replace("-", "_")
    (found,) = findings(*of_log(f"{text}{name}: Unknown symbol nvidia_p2p_get_pages (err -22)"))
    assert found.signature == "gpudirect"
