"""findmnt that shows the requested type and source of emulated mounts."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from packages.rehearsal.tests.nodes.emulation.conftest import Tool

FSX = {"source": "fs-1@tcp:/abc", "fstype": "lustre", "options": "rw,flock"}


class _Passed(Exception):
    """The call went to the real findmnt."""


@pytest.fixture
def mounted(machine: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """One emulated Lustre mount at /fsx."""
    (machine.parent / "mounts.json").write_text(json.dumps({"/fsx": FSX}))
    monkeypatch.setattr(os.path, "ismount", lambda path: path == "/fsx")
    monkeypatch.setattr(os.path, "realpath", lambda path: path)

    def execv(path: str, words: list[str]) -> None:
        raise _Passed(words)

    monkeypatch.setattr(os, "execv", execv)
    return machine


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("-n", "-o", "FSTYPE", "/fsx"), "lustre\n"),
        (("--noheadings", "--output", "source,fstype", "/fsx"), "fs-1@tcp:/abc lustre\n"),
        (("-no", "TARGET", "/fsx"), "/fsx\n"),
        (("-o", "SOURCE", "/fsx"), "SOURCE\nfs-1@tcp:/abc\n"),
        (
            ("--noheadings", "-l", "/fsx"),
            "/fsx fs-1@tcp:/abc lustre rw,flock\n",
        ),
    ],
)
def test_columns_of_one_target(
    tool: Tool, mounted: Path, words: tuple[str, ...], expected: str
) -> None:
    assert tool("findmnt", *words) == (0, expected)


@pytest.mark.parametrize("words", [("-n", "/home"), ("-n", "-o", "UUID", "/fsx"), ("/fsx",)])
def test_other_calls_go_to_the_real_program(
    tool: Tool, mounted: Path, words: tuple[str, ...]
) -> None:
    with pytest.raises(_Passed):
        tool("findmnt", *words)


def test_json_is_rewritten_at_any_depth(
    tool: Tool, mounted: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows: list[dict[str, Any]] = [
        {
            "target": "/",
            "source": "overlay",
            "children": [
                {"target": "/fsx", "source": "/dev/sda[/x]", "fstype": "ext4", "options": "rw"}
            ],
        }
    ]
    done = SimpleNamespace(stdout=json.dumps({"filesystems": rows}), stderr="", returncode=0)
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: done)
    code, text = tool("findmnt", "--json")
    (root,) = json.loads(text)["filesystems"]
    assert (code, root["source"]) == (0, "overlay")
    assert root["children"] == [{"target": "/fsx", **FSX}]
