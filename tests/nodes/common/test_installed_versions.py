"""Versions of drivers and libraries, from files and programs."""

from __future__ import annotations

from clusterwright_common.installed_versions import installed

FILES = {
    "/proc/driver/nvidia/version": "NVRM version: NVIDIA UNIX x86_64 Kernel Module  570.86.15  R",
    "/opt/amazon/efa_installed_packages": "# EFA installer version: 1.38.0\naws-ofi-nccl-1.14.0",
    "/usr/local/cuda/version.json": "[]",
    "/etc/os-release": 'ID=amzn\nVERSION_ID="2023"\n',
}


def names(folder: str) -> list[str]:
    return ["libnccl.so", "libnccl.so.2.27.5"] if folder == "/usr/lib64" else []


def said(program: str, *arguments: str) -> str:
    return "munge-0.5.16 (2024)" if program == "munge" else ""


def test_versions_of_files_folders_and_programs() -> None:
    assert installed(FILES.get, names, said) == {
        "nvidia_driver": "570.86.15",
        "efa_installer": "1.38.0",
        "aws_ofi_nccl": "1.14.0",
        "nccl": "2.27.5",
        "munge": "0.5.16",
        "os": "amzn-2023",
    }


def test_a_machine_with_none_has_no_versions() -> None:
    assert installed(lambda _: None, lambda _: [], lambda _, *__: "") == {}
