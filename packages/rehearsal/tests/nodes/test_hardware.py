"""The emulated commands of the image answer health checks, and show injected faults."""

from __future__ import annotations

import ast
import json
import os
import runpy
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from clusterwright_rehearsal.nodes import images
from clusterwright_rehearsal.nodes.hardware import hardware_of
from clusterwright_rehearsal.prerequisites import nodes_unavailable
from packages.rehearsal.tests.conftest import ROOT

TOOLS = images.RECIPE / "root/usr/lib/emulation"
Tool = Callable[..., tuple[int, str]]

_ROWS = "gpu_bus_id,remapped_rows.pending,remapped_rows.failure"
_CHECK = ROOT / "lifecycle_scripts/clusterwright_health/checks/nvidia.py"
_PLAIN = "--format=csv,noheader,nounits"


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A p5.48xlarge: the folder of its faults, with `lasting` and `kernel.log` beside."""
    monkeypatch.syspath_prepend(str(TOOLS))
    monkeypatch.delitem(sys.modules, "hardware", raising=False)
    import hardware  # type: ignore[import-not-found]

    described = tmp_path / "hardware.json"
    described.write_text(json.dumps(hardware_of("p5.48xlarge").as_file("i-0123456789abcdef0")))
    (tmp_path / "faults").mkdir()
    (tmp_path / "lasting").mkdir()
    monkeypatch.setattr(hardware, "HARDWARE", str(described))
    monkeypatch.setattr(hardware, "STATE", str(tmp_path))
    monkeypatch.setattr(hardware, "FAULTS", str(tmp_path / "faults"))
    monkeypatch.setattr(hardware, "LASTING_FAULTS", str(tmp_path / "lasting"))
    return tmp_path / "faults"


@pytest.fixture
def tool(
    machine: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Tool:
    def run(name: str, *words: str) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", [name, *words])
        with pytest.raises(SystemExit) as ended:
            runpy.run_path(str(TOOLS / f"{name}.py"))
        return int(ended.value.code or 0), capsys.readouterr().out

    return run


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


def test_dmesg_shows_only_messages_of_the_machine(tool: Tool, machine: Path) -> None:
    assert tool("kernel_log") == (0, "")
    (machine.parent / "kernel.log").write_text("12.5 NVRM: Xid (PCI:0000:53:00): 79, gone\n")
    assert tool("kernel_log") == (
        0,
        "[   12.500000] NVRM: Xid (PCI:0000:53:00): 79, gone\n",
    )
    assert tool("kernel_log", "--notime") == (0, "NVRM: Xid (PCI:0000:53:00): 79, gone\n")
    code, text = tool("kernel_log", "--ctime")
    assert code == 0
    assert text.endswith("] NVRM: Xid (PCI:0000:53:00): 79, gone\n")
    assert tool("kernel_log", "--follow")[0] == 1


_SILENCE = """
mount --bind "$1/real" "$1/seen"
setsid python3 -SE "$2" "$1/seen" >"$1/said" &
while ! grep -q "seen autofs" /proc/self/mounts; do sleep 0.05; done
timeout --signal=KILL 1 stat --file-system "$1/seen" >/dev/null 2>&1 || echo "no answer"
cat "$1/seen/file" & reader=$!
sleep 0.3
kill -0 "$reader" && echo "waits"
kill -TERM "$(pgrep --full "silence.py $1/seen" | tail -1)"
wait "$reader" && echo "went on"
while grep -q "seen autofs" /proc/self/mounts; do sleep 0.05; done
cat "$1/seen/file"
"""


@pytest.mark.slurm
def test_unresponsive_file_system_blocks_readers_until_it_answers(tmp_path: Path) -> None:
    reason = nodes_unavailable()
    if reason is not None:
        pytest.skip(reason)
    for name in ("real", "seen"):
        (tmp_path / name).mkdir()
    (tmp_path / "real" / "file").write_text("what was there\n")
    process = subprocess.Popen(
        [
            *("unshare", "--mount", "--pid", "--fork", "--mount-proc", "--kill-child"),
            *("bash", "-c", _SILENCE, "bash", str(tmp_path), str(TOOLS / "silence.py")),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        said, complained = process.communicate(timeout=30)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        raise
    assert said.splitlines() == [
        "no answer",
        "waits",
        "what was there",
        "went on",
        "what was there",
    ], complained
