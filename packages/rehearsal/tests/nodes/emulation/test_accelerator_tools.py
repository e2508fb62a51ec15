"""fi_info, neuron-ls and dcgmi of an emulated machine."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from clusterwright_rehearsal.nodes.hardware import hardware_of
from packages.rehearsal.tests.nodes.emulation.conftest import Call

Run = Callable[..., tuple[int, str]]


@pytest.fixture
def run(call: Call) -> Run:
    def called(program: str, *words: str) -> tuple[int, str]:
        code, printed, _ = call("accelerator_tools", program, *words)
        return code, printed

    return called


def become(machine: Path, instance_type: str) -> None:
    described = hardware_of(instance_type).as_file("i-0123456789abcdef0")
    (machine.parent / "hardware.json").write_text(json.dumps(described))


class TestNeuron:
    def test_devices_but_the_lost_ones(self, run: Run, machine: Path) -> None:
        become(machine, "trn1.32xlarge")
        (machine / "neuron-lost").write_text("3 5")
        code, text = run("neuron-ls", "--json-output")
        numbers = [device["neuron_device"] for device in json.loads(text)]
        assert (code, len(numbers)) == (0, 14)
        assert not {3, 5} & set(numbers)
        assert run("neuron-ls")[1].splitlines()[0].startswith("neuron0  0000:")

    def test_a_machine_without_any(self, run: Run) -> None:
        assert run("neuron-ls") == (1, "")


class TestDcgm:
    def test_a_healthy_machine_passes(self, run: Run) -> None:
        assert run("dcgmi", "discovery", "-l") == (0, "8 GPUs found.\n")
        assert run("dcgmi", "diag", "-r", "1") == (0, "emulated dcgmi diag -r 1: Pass\n")

    def test_faults_fail_the_diagnosis(self, run: Run, machine: Path) -> None:
        (machine / "gpu-ecc").write_text("1")
        assert run("dcgmi", "diag") == (226, "emulated dcgmi diag: Fail: gpu-ecc\n")

    def test_without_its_service_it_has_no_connection(self, run: Run, machine: Path) -> None:
        (machine / "dcgm").write_text("")
        code, text = run("dcgmi", "diag")
        assert (code, "unable to establish a connection" in text) == (255, True)


class TestEfa:
    def test_each_interface_is_a_domain(self, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(os, "listdir", lambda _: ["rdmap80s0", "rdmap79s0"])
        code, text = run("fi_info", "-p", "efa")
        assert code == 0
        domains = [line.split()[-1] for line in text.splitlines() if "domain:" in line]
        assert domains == ["rdmap79s0-rdm", "rdmap80s0-rdm"]

    def test_no_interface_is_an_error(self, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
        def missing(_: str) -> list[str]:
            raise FileNotFoundError

        monkeypatch.setattr(os, "listdir", missing)
        assert run("fi_info") == (61, "")
