"""lfs, lctl and lnetctl of an emulated machine."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from packages.rehearsal.tests.nodes.emulation.conftest import Call

Run = Callable[..., tuple[int, str]]


@pytest.fixture
def run(call: Call) -> Run:
    def called(program: str, *words: str) -> tuple[int, str]:
        code, printed, _ = call("lustre_tools", program, *words)
        return code, printed

    return called


def networks(machine: Path) -> list[dict[str, object]]:
    found = json.loads((machine.parent / "lnet.json").read_text())["nets"]
    return list(found)


class TestLnet:
    def test_a_network_is_added_once_and_shown(self, run: Run, machine: Path) -> None:
        for _ in range(2):
            assert run("lnetctl", "net", "add", "--net", "tcp", "--if", "eth0") == (0, "")
        assert [(net["net"], net["interface"]) for net in networks(machine)] == [("tcp", "eth0")]
        code, text = run("lnetctl", "net", "show", "-v")
        assert code == 0
        assert "- net type: tcp" in text
        assert "status: up" in text
        assert run("lnetctl", "net", "show", "--net", "efa") == (0, "")

    def test_counters_increase_unless_the_network_is_silent(self, run: Run, machine: Path) -> None:
        run("lnetctl", "net", "add", "--net", "tcp", "--if", "eth0")
        run("lnetctl", "net", "show", "--verbose")
        before = networks(machine)[0]["messages"]
        assert before == 64
        (machine / "lnet-silent").write_text("")
        _, text = run("lnetctl", "net", "show", "--verbose")
        assert networks(machine)[0]["messages"] == before
        assert f"send_count: {before}" in text

    def test_efa_needs_its_device(
        self, run: Run, machine: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        code, text = run("lnetctl", "net", "add", "--net", "efa", "--if", "rdmap79s0")
        assert (code, "rdmap79s0: No such device" in text) == (237, True)
        monkeypatch.setattr(os.path, "isdir", lambda _: True)
        assert run("lnetctl", "net", "add", "--net", "efa", "--if", "rdmap79s0")[0] == 0
        assert "status: down" in run("lnetctl", "net", "show")[1]

    def test_selection_policies_are_kept(self, run: Run) -> None:
        run("lnetctl", "udsp", "add", "--src", "efa")
        assert run("lnetctl", "udsp", "show")[1].endswith("src: efa\n")

    def test_an_unknown_command_fails(self, run: Run) -> None:
        assert run("lnetctl", "fry")[0] == 1
        assert run("lnetctl", "set", "discovery", "1")[0] == 0


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("get_param", "-n", "version"), "2.15.6-emulated\n"),
        (("ping", "10.0.0.1@tcp"), "12345-0@lo\n12345-10.0.0.1@tcp\n"),
        (("set_param", "x=1"), ""),
    ],
)
def test_lctl(run: Run, words: tuple[str, ...], expected: str) -> None:
    assert run("lctl", *words) == (0, expected)


@pytest.mark.parametrize(
    ("words", "code", "expected"),
    [
        (("getstripe", "/fsx"), 0, "stripe_count:  1\nstripe_size:   1048576\n"),
        (("hsm_state", "/a"), 0, "/a: (0x00000009) exists archived, archive_id:1\n"),
        (("hsm_action", "/a", "/b"), 0, "/a: NOOP\n/b: NOOP\n"),
        (("setstripe", "-c", "1", "/a"), 0, ""),
        (("fry",), 1, ""),
    ],
)
def test_lfs(run: Run, words: tuple[str, ...], code: int, expected: str) -> None:
    assert run("lfs", *words) == (code, expected)
