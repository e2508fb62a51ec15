"""nvidia-smi of an emulated machine, with injected faults."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from clusterwright_acceptance.checks import nvlink

from packages.rehearsal.tests.conftest import ROOT
from packages.rehearsal.tests.nodes.emulation.conftest import Tool

_ROWS = "gpu_bus_id,remapped_rows.pending,remapped_rows.failure"
_CHECK = ROOT / "lifecycle_scripts/clusterwright_health/checks/nvidia.py"
_PLAIN = "--format=csv,noheader,nounits"


def _fields() -> str:
    """What the node's own check asks nvidia-smi for."""
    for statement in ast.parse(_CHECK.read_text()).body:
        if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "_ASKED":
            return str(ast.literal_eval(statement.value))
    raise AssertionError(f"{_CHECK} asks for nothing")


def _gpus(tool: Tool) -> list[list[str]]:
    code, text = tool("nvidia_smi", f"--query-gpu={_fields()}", _PLAIN)
    assert code == 0
    return [line.split(", ") for line in text.splitlines()]


def test_healthy_machine_answers_every_requested_field(tool: Tool) -> None:
    rows = _gpus(tool)
    assert [row[0] for row in rows] == [str(number) for number in range(8)]
    for row in rows:
        assert row[2:] == ["0", "16", "16"]
    code, text = tool("nvidia_smi", f"--query-remapped-rows={_ROWS}", _PLAIN)
    assert code == 0
    assert {tuple(line.split(", ")[1:]) for line in text.splitlines()} == {("0", "0")}


@pytest.mark.parametrize(
    ("fault", "wrong"), [("gpu-ecc", ["4", "16", "16"]), ("gpu-pcie", ["0", "8", "16"])]
)
@pytest.mark.parametrize("folder", ["faults", "lasting"])
def test_fault_affects_only_its_gpu(
    tool: Tool, machine: Path, folder: str, fault: str, wrong: list[str]
) -> None:
    (machine.parent / folder / fault).write_text("5\n")
    assert [row[0] for row in _gpus(tool) if row[2:] != ["0", "16", "16"]] == ["5"]
    assert _gpus(tool)[5][2:] == wrong


def test_row_remapping_is_pending_or_failed(tool: Tool, machine: Path) -> None:
    (machine / "gpu-rows").write_text("1")
    (machine / "gpu-rows-failed").write_text("2")
    _, text = tool("nvidia_smi", f"--query-remapped-rows={_ROWS}", _PLAIN)
    found = [line.split(", ")[1:] for line in text.splitlines()]
    assert found[:3] == [["0", "0"], ["1", "0"], ["0", "1"]]


def test_a_lost_gpu_makes_every_query_fail(tool: Tool, machine: Path) -> None:
    (machine / "gpu-lost").write_text("3")
    code, text = tool("nvidia_smi", f"--query-gpu={_fields()}", _PLAIN)
    assert code != 0
    assert "Unable to determine the device handle for GPU3" in text
    code, text = tool("nvidia_smi", "-L")
    assert len(text.splitlines()) == 7


def test_nvlinks_are_active_but_those_of_a_fault(tool: Tool, machine: Path) -> None:
    _, text = tool("nvidia_smi", "nvlink", "--status")
    links = nvlink.parse_status(text)
    assert {len(found) for found in links.values()} == {18}
    assert len(links) == 8
    (machine / "nvlink-down").write_text("3:7")
    links = nvlink.parse_status(tool("nvidia_smi", "nvlink", "--status")[1])
    assert [(gpu, link) for gpu in links for link, up in links[gpu] if not up] == [(3, 7)]


def test_nvlink_error_counters(tool: Tool, machine: Path) -> None:
    assert nvlink.parse_errors(tool("nvidia_smi", "nvlink", "--errorcounters")[1]) == []
    (machine / "nvlink-errors").write_text("0:17")
    found = nvlink.parse_errors(tool("nvidia_smi", "nvlink", "--errorcounters")[1])
    assert found == [(0, 17, "Replay", 7)]
