"""fi_info, fi_pingpong, neuron-ls and dcgmi of an emulated machine."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from clusterwright_common import dcgm

from clusterwright_rehearsal.nodes.hardware import hardware_of
from packages.rehearsal.tests.nodes.emulation.conftest import Call

Run = Callable[..., tuple[int, str]]


@pytest.fixture
def run(call: Call) -> Run:
    def called(program: str, *words: str) -> tuple[int, str]:
        code, printed, _ = call("accelerator_tools", program, *words)
        return code, printed

    return called


def _opens(counter: Path) -> Callable[..., Any]:
    """`open` that has a file of the test in the place of a device's counter."""
    real = open

    def opened(path: str, *words: Any, **options: Any) -> Any:
        is_counter = str(path).startswith("/sys/class/infiniband/rdmap79s0/")
        return real(counter if is_counter else path, *words, **options)

    return opened


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

    @pytest.mark.parametrize("form", ["1", "2", "3"])
    def test_each_form_of_json_is_read_by_the_node_program(
        self, run: Run, machine: Path, form: str
    ) -> None:
        (machine / "dcgm-form").write_text(form)
        code, text = run("dcgmi", "diag", "--run", "2", "--json")
        assert (code, dcgm.decide(dcgm.parse(text), dcgm.read_table()).action) == (0, "none")
        (machine / "gpu-ecc").write_text("3")
        code, text = run("dcgmi", "diag", "--run", "2", "--json")
        found = dcgm.decide(dcgm.parse(text), dcgm.read_table())
        assert (code, found.action) == (226, "replace")
        assert found.reason == "GPU Memory failed on GPU 3: Faulty memory detected on GPU 3"


class TestDmon:
    @staticmethod
    def exported(printed: str) -> dict[str, dict[str, float]]:
        """What the exporter of the nodes makes of the table: metric -> value by GPU."""
        from clusterwright_metrics.sources import nvidia

        found: dict[str, dict[str, float]] = {}
        for line in printed.splitlines():
            match = nvidia._ROW.match(line)
            if match:
                words = match.group(2).split()
                assert len(words) == len(nvidia._DCGM)
                for (_, name, _, _), word in zip(nvidia._DCGM, words, strict=True):
                    found.setdefault(name, {})[match.group(1)] = float(word)
        return found

    @staticmethod
    def words() -> tuple[str, ...]:
        from clusterwright_metrics.sources import nvidia

        return ("dmon", "-e", ",".join(str(field[0]) for field in nvidia._DCGM), "-c", "1")

    def test_every_field_of_the_exporter_has_a_value_on_every_gpu(self, run: Run) -> None:
        code, text = run("dcgmi", *self.words())
        found = self.exported(text)
        assert code == 0
        assert {len(values) for values in found.values()} == {8}
        assert set(found["DCGM_FI_DEV_GPU_UTIL"].values()) == {0.0}
        assert set(found["DCGM_FI_DEV_NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL"].values()) == {0.0}

    @pytest.mark.parametrize(
        ("fault", "text", "metric"),
        [
            ("gpu-busy", "3", "DCGM_FI_DEV_GPU_UTIL"),
            ("gpu-hot", "3", "DCGM_FI_DEV_THERMAL_VIOLATION"),
            ("gpu-rows", "3", "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS"),
            ("gpu-rows-failed", "3", "DCGM_FI_DEV_ROW_REMAP_FAILURE"),
            ("nvlink-errors", "3:17", "DCGM_FI_DEV_NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL"),
        ],
    )
    def test_a_fault_shows_on_its_gpu(
        self, run: Run, machine: Path, fault: str, text: str, metric: str
    ) -> None:
        (machine / fault).write_text(text)
        values = self.exported(run("dcgmi", *self.words())[1])[metric]
        assert [gpu for gpu, value in values.items() if value] == ["3"]

    def test_the_last_xid_is_that_of_the_kernel_log(self, run: Run, machine: Path) -> None:
        (machine.parent / "kernel.log").write_text(
            "1.5 NVRM: Xid (PCI:0000:63:00): 48, pid=7, x\n2.5 NVRM: Xid (PCI:0000:63:00): 79, x\n"
        )
        values = self.exported(run("dcgmi", *self.words())[1])["DCGM_FI_DEV_XID_ERRORS"]
        assert {gpu: value for gpu, value in values.items() if value} == {"1": 79.0}

    def test_without_its_service_there_is_no_table(self, run: Run, machine: Path) -> None:
        (machine / "dcgm").write_text("")
        code, text = run("dcgmi", *self.words())
        assert (code, self.exported(text)) == (255, {})


class TestEfa:
    def test_ping_pong_moves_the_counter_of_its_device(
        self, run: Run, machine: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        counter = machine.parent / "tx_bytes"
        counter.write_text("0\n")
        monkeypatch.setattr("builtins.open", _opens(counter))
        words = ("-e", "rdm", "-p", "efa", "-d", "rdmap79s0-rdm", "-P", "47600", "127.0.0.1")
        code, text = run("fi_pingpong", *words)
        assert (code, counter.read_text()) == (0, "4096\n")
        assert text.splitlines()[0].startswith("bytes   #sent   #ack")
        (machine / "efa-pingpong").write_text("rdmap79s0")
        assert run("fi_pingpong", *words)[0] == 12
        assert counter.read_text() == "4096\n"

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
