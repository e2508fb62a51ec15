"""The emulated hardware: facts, faults and state of a machine."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def hardware(machine: Path) -> Any:
    import hardware  # type: ignore[import-not-found]

    return hardware


def test_facts_are_those_of_the_instance(hardware: Any) -> None:
    found = hardware.hardware()
    assert found["instance_id"] == "i-0123456789abcdef0"
    assert (found["accelerator"]["kind"], found["accelerator"]["count"]) == ("nvidia", 8)


def test_a_fault_lasts_until_its_file_is_gone(hardware: Any, machine: Path) -> None:
    assert hardware.fault("gpu-lost") is None
    (machine / "gpu-lost").write_text("3\n")
    assert hardware.fault("gpu-lost") == "3"
    (machine / "gpu-lost").unlink()
    (machine.parent / "lasting" / "gpu-lost").write_text("4")
    assert hardware.fault("gpu-lost") == "4"


def test_state_is_kept_in_a_file(hardware: Any, machine: Path) -> None:
    assert hardware.read_state("lnet", {"nets": []}) == {"nets": []}
    hardware.write_state("lnet", {"nets": [1]})
    assert hardware.read_state("lnet", None) == {"nets": [1]}
    assert json.loads((machine.parent / "lnet.json").read_text()) == {"nets": [1]}
    assert [path.name for path in machine.parent.glob("lnet*")] == ["lnet.json"]


def test_addresses_are_unique_and_uuids_stable(hardware: Any) -> None:
    addresses = [hardware.pci_address(index) for index in range(16)]
    assert len(set(addresses)) == 16
    assert all(re.fullmatch(r"0000:[0-9a-f]{2}:[0-9a-f]{2}\.0", each) for each in addresses)
    assert hardware.uuid(0) == hardware.uuid(0) != hardware.uuid(1)
    assert re.fullmatch(r"GPU-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", hardware.uuid(0))
