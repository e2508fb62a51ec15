"""Versions of drivers and libraries on a node."""

from __future__ import annotations

import json

import pytest
from clusterwright_node import software

from tests.nodes.stub_node import stub_node

DRIVER = (
    "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  570.86.15  Release Build\n"
    "GCC version: 12\n"
)
FILES = {
    "/proc/driver/nvidia/version": DRIVER,
    "/usr/local/cuda/version.json": '{"cuda": {"version": "12.8.0"}}',
    "/sys/module/efa/version": "2.15.0g\n",
    "/opt/amazon/efa_installed_packages": (
        "# EFA installer version: 1.38.0\nlibnccl-ofi-ngc-1.14.0-1.x86_64.rpm\n"
    ),
    "/opt/amazon/efa/bin/fi_info": "",
    "/usr/lib64/libnccl.so.2.25.1": "",
    "/opt/nccl/build/lib/libnccl.so.2.20.3": "",
    "/proc/sys/kernel/osrelease": "6.8.0-1063-aws\n",
    "/etc/os-release": 'NAME="Ubuntu"\nVERSION_ID="22.04"\nID=ubuntu\nID_LIKE=debian\n',
    "/sys/module/lustre/version": "2.15.6_fsx35\n",
}
ANSWERS = {
    "nv-fabricmanager --version": "Fabric Manager version is : 570.86.15\n",
    "/opt/amazon/efa/bin/fi_info --version": "fi_info: 1.22\nlibfabric: 1.22.0amzn4.0\n",
    "dcgmi --version": "\ndcgmi  version: 4.2.3\n\nVersion : 4.2.3\nBuild ID : 18\n",
    "slurmd -V": "slurm 25.11.8\n",
    "munge --version": "munge-0.5.16 (2024-03-15)\n",
    "enroot version": "3.5.0\n",
}


def test_versions_of_a_node() -> None:
    assert software.versions(stub_node(ANSWERS, FILES)) == {
        "nvidia_driver": "570.86.15",
        "fabric_manager": "570.86.15",
        "cuda": "12.8.0",
        "efa_driver": "2.15.0g",
        "efa_installer": "1.38.0",
        "libfabric": "1.22.0amzn4.0",
        "aws_ofi_nccl": "1.14.0",
        "nccl": "2.25.1",
        "dcgm": "4.2.3",
        "kernel": "6.8.0-1063-aws",
        "os": "ubuntu-22.04",
        "lustre_client": "2.15.6_fsx35",
        "slurm": "25.11.8",
        "munge": "0.5.16",
        "enroot": "3.5.0",
    }


def test_what_is_not_installed_has_no_version() -> None:
    assert software.versions(stub_node()) == {}


def test_a_program_that_does_not_answer_has_no_version() -> None:
    found = software.versions(stub_node({}, FILES))
    assert "libfabric" not in found
    assert found["cuda"] == "12.8.0"


@pytest.mark.parametrize("text", ["", "[]", '{"cuda": {}}', '{"cuda": {"version": 12}}'])
def test_a_file_of_another_form(text: str) -> None:
    assert software.versions(stub_node({}, {"/usr/local/cuda/version.json": text})) == {}


def test_the_report_of_a_step() -> None:
    report = {"versions": {"cuda": "12.8.0", "nccl": "unknown"}}
    node = stub_node({}, {software.REPORT: json.dumps(report)})
    assert software.reported(node) == {"cuda": "12.8.0"}
    assert software.reported(stub_node()) == {}
    assert software.reported(stub_node({}, {software.REPORT: "[]"})) == {}
