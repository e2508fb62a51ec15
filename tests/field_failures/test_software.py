"""Failures of versions that do not work together."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.field_failures.parts import checked

BLACKWELL: dict[str, Any] = {"compute.1.instance_type": "p6-b200.48xlarge"}

Broken = Callable[[dict[str, Any]], list[str]]


@pytest.fixture
def broken(tmp_path: Path) -> Broken:
    """Messages of CW-I030 about versions that a source says do not work."""

    def run(changes: dict[str, Any]) -> list[str]:
        found = checked(tmp_path, changes, "--offline", "--only", "CW-I030")
        return [text for text in found.messages("CW-I030") if "not satisfied" in text]

    return run


def test_ofi_nccl_584_nccl_too_new_for_the_efa_installer_is_found(broken: Broken) -> None:
    (message,) = broken({"software": {"nccl": "2.19.3", "efa_installer": "1.28.0"}})
    assert message.startswith("EFA installer 1.28.0, NCCL 2.19.3: not satisfied")
    assert "aws/aws-ofi-nccl#584" in message
    assert broken({"software": {"nccl": "2.19.3", "efa_installer": "1.29.0"}}) == []


def test_post_install_scripts_56_nccl_without_blackwell_is_found(broken: Broken) -> None:
    (message,) = broken({**BLACKWELL, "software": {"nccl": "2.24.3"}})
    assert message.startswith("NCCL 2.24.3, instance type p6-b200.48xlarge: not satisfied")
    assert "aws-parallelcluster-post-install-scripts#56" in message
    assert broken({**BLACKWELL, "software": {"nccl": "2.25.1"}}) == []
    assert broken({"software": {"nccl": "2.24.3"}}) == []


def test_parallelcluster_5746_kernel_without_lustre_client_is_found(broken: Broken) -> None:
    lustre = {"storage.lustre": [{"capacity_gib": 9600, "throughput_mbps_per_tib": 500}]}
    versions = {"lustre_client": "2.15.6", "os": "ubuntu-22.04"}
    (message,) = broken({**lustre, "software": {**versions, "kernel": "5.19.0"}})
    assert message.startswith("kernel 5.19.0, Lustre client 2.15.6: not satisfied")
    assert "aws/aws-parallelcluster#5746" in message
