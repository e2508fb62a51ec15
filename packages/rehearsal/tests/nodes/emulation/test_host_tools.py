"""lscpu and free of an emulated machine."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from packages.rehearsal.tests.nodes.emulation.conftest import Call

_PARSE = ("--online", "--parse=CPU,CORE,SOCKET")


def _rows(text: str) -> list[str]:
    return [line for line in text.splitlines() if not line.startswith("#")]


def test_cpus_are_those_of_the_type(call: Call) -> None:
    code, text, _ = call("host_tools", "/usr/bin/lscpu", *_PARSE)
    assert code == 0
    rows = [row.split(",") for row in _rows(text)]
    assert len(rows) == 192
    assert len({(core, socket) for _, core, socket in rows}) == 96


def test_offline_cpus_are_left_out(call: Call, machine: Path) -> None:
    (machine / "cpu-offline").write_text("3 5")
    _, text, _ = call("host_tools", "/usr/bin/lscpu", *_PARSE)
    assert len(_rows(text)) == 190
    assert "3,3,0" not in _rows(text)


def test_memory_is_that_of_the_type_less_what_is_lost(call: Call, machine: Path) -> None:
    (machine / "memory-lost").write_text("256")
    _, text, _ = call("host_tools", "/usr/bin/free", "--bytes")
    name, total, used, free, *_ = text.splitlines()[1].split()
    assert name == "Mem:"
    assert 0.95 < int(total) / ((2048 - 256) * 2**30) < 1
    assert int(used) + int(free) == int(total)


@pytest.mark.parametrize("argv", [("/usr/bin/free", "-m"), ("/usr/bin/lscpu",)])
def test_other_calls_go_to_the_real_program(
    call: Call, monkeypatch: pytest.MonkeyPatch, argv: tuple[str, ...]
) -> None:
    def execv(path: str, words: list[str]) -> None:
        assert words == list(argv)
        raise SystemExit(path)

    monkeypatch.setattr(os, "execv", execv)
    with pytest.raises(ValueError, match=f"{argv[0]}.real"):
        call("host_tools", *argv)
