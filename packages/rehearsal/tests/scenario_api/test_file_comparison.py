"""Comparison of the files of two nodes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from clusterwright_rehearsal.scenario_api.file_comparison import (
    _LIST_FILES,
    _OWN,
    FOLDERS,
    differences,
    files,
)


def test_paths_that_differ_or_exist_once() -> None:
    first = {"/a": "1", "/b": "1", "/c": "1"}
    assert differences(first, {"/b": "2", "/c": "1", "/d": "1"}) == ["/a", "/b", "/d"]
    assert differences(first, dict(first)) == []


def test_a_node_is_asked_with_its_own_names() -> None:
    asked: dict[str, Any] = {}

    def must(command: str, **more: Any) -> str:
        asked.update(command=command, **more)
        return '{"/etc/a": "x 644 root"}'

    node: Any = SimpleNamespace(
        host="ip-10-0-0-5", address="10.0.0.5", name="workers-1", instance_id="i-1", must=must
    )
    assert files(node) == {"/etc/a": "x 644 root"}
    words = json.loads(asked["command"].partition("- ")[2].strip("'"))
    assert words[0] == ["ip-10-0-0-5", "10.0.0.5", "workers-1", "i-1"]
    assert (tuple(words[1]), tuple(words[2])) == (FOLDERS, _OWN)
    assert asked["stdin"] == _LIST_FILES


def listed(folder: Path, *names: str, own: tuple[str, ...] = ()) -> dict[str, str]:
    """What the program on the node prints for a folder."""
    arguments = json.dumps([list(names) or ["nobody"], [str(folder)], list(own)])
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", _LIST_FILES, arguments],
        capture_output=True,
        text=True,
        check=True,
        timeout=30,
    )
    found: dict[str, str] = json.loads(done.stdout)
    return {Path(path).name: digest for path, digest in found.items()}


def test_what_identifies_a_machine_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "conf").write_text("host=ip-10-0-0-5\nStoragePass=one\n")
    first = listed(tmp_path, "ip-10-0-0-5")
    (tmp_path / "conf").write_text("host=ip-10-0-0-6\nStoragePass=two\n")
    assert listed(tmp_path, "ip-10-0-0-6") == first
    (tmp_path / "conf").chmod(0o600)
    assert differences(first, listed(tmp_path, "ip-10-0-0-6")) == ["conf"]


def test_slurmd_of_a_later_instance_may_say_that_its_node_booted(tmp_path: Path) -> None:
    (tmp_path / "slurmd").write_text('SLURMD_OPTIONS="-N n-1"\n')
    first = listed(tmp_path)
    (tmp_path / "slurmd").write_text('SLURMD_OPTIONS="-b -N n-1"\n')
    assert listed(tmp_path) == first
    (tmp_path / "slurmd").write_text('SLURMD_OPTIONS="-b -N n-1 -Z"\n')
    assert differences(first, listed(tmp_path)) == ["slurmd"]


def test_only_regular_files_count(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "link").symlink_to("file")
    (tmp_path / "code.pyc").write_text("x")
    (tmp_path / "own").write_text("x")
    assert list(listed(tmp_path, own=(str(tmp_path / "own"),))) == ["file"]


def test_folders_of_results_are_left_out(tmp_path: Path) -> None:
    for folder in ("results", "settings"):
        (tmp_path / folder / "runs").mkdir(parents=True)
        (tmp_path / folder / "runs" / f"{folder}.json").write_text("x")
    assert list(listed(tmp_path, own=(str(tmp_path / "results"),))) == ["settings.json"]
