"""The step that checks the compatibility of drivers and libraries."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.nodes.world import World

REPORT = "var/lib/clusterwright/software.json"

# The formats of NVIDIA's open kernel module and of the proprietary one.
OPEN = (
    "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  {}  Release Build  (dvs-builder)\n"
    "GCC version:  gcc version 11.4.0\n"
)

CLOSED = "NVRM version: NVIDIA UNIX x86_64 Kernel Module  {}  Wed Oct 26 09:12:38 UTC 2022\n"

EFA_PACKAGES = """# EFA installer version: 1.50.0
# Debug packages installed: no
# Packages installed:
efa-config_1.18_all efa_3.3.0-1.amzn1_amd64 libnccl-ofi-aws_1.21.1-1_amd64 libfabric1-aws_2.6.0
"""


def with_software(node: World, driver: str = OPEN, version: str = "570.172.08") -> World:
    files = {
        "proc/driver/nvidia/version": driver.format(version),
        "usr/local/cuda/version.json": '{"cuda": {"name": "CUDA SDK", "version": "12.8.1"}}',
        "opt/amazon/efa_installed_packages": EFA_PACKAGES,
        "opt/amazon/efa/bin/fi_info": "",
        "sys/module/efa/version": "3.3.0g\n",
        "usr/lib/x86_64-linux-gnu/libnccl.so.2.27.5": "",
        "usr/lib/x86_64-linux-gnu/libnccl.so.2": "",
    }
    for name, text in files.items():
        path = node.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return node


def report(node: World) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((node.root / REPORT).read_text())
    return loaded


@pytest.mark.parametrize("driver", [OPEN, CLOSED], ids=["open", "closed"])
def test_installed_versions_are_recorded(world: Callable[..., World], driver: str) -> None:
    node = with_software(world("workers-1", fabric_manager="570.172.08"), driver)
    assert node.run().statuses()["software_versions"] == "applied"
    assert report(node)["versions"] == {
        "nvidia_driver": "570.172.08",
        "fabric_manager": "570.172.08",
        "cuda": "12.8.1",
        "neuron_driver": "unknown",
        "efa_driver": "3.3.0g",
        "efa_installer": "1.50.0",
        "libfabric": "2.6.0amzn1.0",
        "aws_ofi_nccl": "1.21.1",
        "nccl": "2.27.5",
        "dcgm": "unknown",
        "kernel": "unknown",
        "os": "unknown",
        "lustre_client": "unknown",
        "slurm": "25.11.0",
        "munge": "unknown",
        "enroot": "unknown",
    }
    judged = {rule["rule"]: rule["verdict"] for rule in report(node)["rules"]}
    assert {name for name, verdict in judged.items() if verdict == "works"} == {
        "Fabric Manager has the same version as the driver",
        "the driver is new enough for CUDA",
        "libfabric is new enough for aws-ofi-nccl",
        "NCCL is new enough for aws-ofi-nccl",
    }
    assert set(judged.values()) == {"works", "unknown"}
    assert report(node)["declared"] == {"versions": {}, "different": [], "not_found": []}
    motd = (node.root / "etc/motd.d/50-clusterwright").read_text()
    assert (
        "software     NVIDIA driver 570.172.08, Fabric Manager 570.172.08, CUDA 12.8.1\n" in motd
    )
    assert node.run().statuses()["software_versions"] == "unchanged"


def test_mismatched_fabric_manager_is_refused_with_the_source(world: Callable[..., World]) -> None:
    node = with_software(world("workers-1", fabric_manager="570.133.20"))
    for _ in range(2):
        run = node.run()
        assert run.code == 1
        assert "driver 570.172.08, Fabric Manager 570.133.20" in run.last
        assert "Fabric Manager User Guide" in run.last
    assert "refused" in {rule["verdict"] for rule in report(node)["rules"]}


def test_node_without_versions_is_unknown(world: Callable[..., World]) -> None:
    node = world("workers-1", missing_commands=["nv-fabricmanager"])
    assert node.run().code == 0
    versions = report(node)["versions"]
    assert {name for name, version in versions.items() if version != "unknown"} == {"slurm"}
    assert {rule["verdict"] for rule in report(node)["rules"]} == {"unknown"}


def test_declared_version_that_the_node_contradicts_is_refused(
    world: Callable[..., World],
) -> None:
    node = with_software(world("workers-1", fabric_manager="570.172.08"))

    def declare(**versions: str) -> None:
        found = [{"component": name, "version": text} for name, text in versions.items()]

        def edit(cluster: Any) -> None:
            for group in cluster["groups"]:
                group["software"] = found

        node.edit("cluster.json", edit)

    declare(nvidia_driver="570.172", nccl="2.27", pyxis="0.20.0")
    assert node.run().statuses()["software_versions"] == "applied"
    assert report(node)["declared"]["not_found"] == ["pyxis 0.20.0"]
    declare(nvidia_driver="595.91.07")
    run = node.run()
    assert run.code == 1
    assert "NVIDIA driver is 570.172.08, declared is 595.91.07" in run.last
    assert "correct `software` in the spec" in run.last


def test_hanging_tool_omits_one_version(world: Callable[..., World]) -> None:
    node = with_software(world("workers-1", hanging_commands=["nv-fabricmanager"]))
    assert node.run().code == 0
    assert report(node)["versions"]["fabric_manager"] == "unknown"


@pytest.mark.parametrize("text", ["", "{", "[]", '{"cuda": 12}', '{"cuda": {"version": 12}}'])
def test_unexpected_file_format_is_unknown(world: Callable[..., World], text: str) -> None:
    node = with_software(world("workers-1"))
    (node.root / "usr/local/cuda/version.json").write_text(text)
    assert node.run().code == 0
    assert report(node)["versions"]["cuda"] == "unknown"


def test_step_is_skipped_without_accelerators_and_efa(
    world: Callable[..., World],
) -> None:
    assert world("controller-1").run().statuses()["software_versions"] == "skipped"
