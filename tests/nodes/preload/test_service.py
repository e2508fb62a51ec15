"""The program that restores files from S3 to Lustre, with a folder instead of Lustre."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from clusterwright_preload import files, service
from hypothesis import given
from hypothesis import strategies as st

from tests.nodes.conftest import LIFECYCLE
from tests.support.lfs_program import LFS


@pytest.fixture
def lustre(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with `fsx`, and an lfs with a list of files that are only in S3."""
    for name in ("fsx", "released", "stuck", "bin"):
        (tmp_path / name).mkdir()
    program = tmp_path / "bin" / "lfs"
    program.write_text(LFS.format(python=sys.executable, world=str(tmp_path)))
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    return tmp_path


def add(lustre: Path, *names: str, released: bool = True) -> None:
    for name in names:
        path = lustre / "fsx" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"tokens")
        if released:
            (lustre / "released" / name.replace("/", "@")).write_text("")


def arguments(lustre: Path, *paths: str, **options: float) -> list[str]:
    given = {"poll_seconds": 0.0, "stall_seconds": 0.0, "wait_seconds": 0.0, **options}
    return [
        f"--mount={lustre / 'fsx'}",
        f"--status={lustre / 'status.json'}",
        *(f"--path={lustre / 'fsx' / path}" for path in paths or ("corpus",)),
        *(f"--{name.replace('_', '-')}={value}" for name, value in given.items()),
    ]


def status(lustre: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((lustre / "status.json").read_text())
    return loaded


def left(lustre: Path) -> list[str]:
    return sorted(path.name for path in (lustre / "released").iterdir())


def test_only_files_in_s3_are_restored(lustre: Path, capsys: pytest.CaptureFixture[str]) -> None:
    add(lustre, "corpus/a.bin", "corpus/b/c.bin", "corpus/b/with space\nand line.bin")
    add(lustre, "corpus/here.bin", released=False)
    add(lustre, "other/d.bin")
    assert service.main(arguments(lustre)) == 0
    assert left(lustre) == ["other@d.bin"]
    found = status(lustre)
    assert (found["state"], found["files_loaded"], found["bytes_loaded"]) == ("done", 3, 18)
    events = [json.loads(line)["event"] for line in capsys.readouterr().out.splitlines()]
    assert events[0] == "progress"
    assert events[-1] == "done"
    assert service.main(arguments(lustre)) == 0
    assert "already loaded" in capsys.readouterr().out


def test_files_are_restored_in_batches(lustre: Path) -> None:
    add(lustre, *(f"corpus/{number:03}" for number in range(25)))
    assert service.main(arguments(lustre, batch=10)) == 0
    asked = [line for line in (lustre / "ran").read_text().splitlines() if "restore" in line]
    assert asked == ["hsm_restore 10", "hsm_restore 10", "hsm_restore 5"]


def test_batches_fit_on_a_command_line(lustre: Path) -> None:
    add(lustre, *(f"corpus/z/{'y' * 200}{number}" for number in range(700)))
    assert service.main(arguments(lustre)) == 0
    assert left(lustre) == []


def test_symbolic_links_are_not_followed(lustre: Path) -> None:
    add(lustre, "other/d.bin", "corpus/a.bin")
    (lustre / "fsx/corpus/link").symlink_to(lustre / "fsx/other")
    (lustre / "fsx/corpus/file").symlink_to(lustre / "fsx/other/d.bin")
    assert service.main(arguments(lustre)) == 0
    assert left(lustre) == ["other@d.bin"]


def test_interrupted_preload_is_continued(lustre: Path) -> None:
    add(lustre, *(f"corpus/{number:02}" for number in range(30)))
    (lustre / "refuse").write_text("")
    assert service.main(arguments(lustre, batch=10)) == 1
    assert status(lustre)["state"] == "interrupted"
    assert "Operation not permitted" in status(lustre)["reason"]
    (lustre / "refuse").unlink()
    before = json.loads((lustre / "status.json").read_text())
    before["after"] = ["19"]
    (lustre / "status.json").write_text(json.dumps(before))
    (lustre / "ran").unlink()
    assert service.main(arguments(lustre, batch=10, passes=1)) == 0
    assert (lustre / "ran").read_text().splitlines()[0] == "hsm_state 10"
    assert len(left(lustre)) == 20, "what was behind it was done before"


def test_changed_configuration_restarts_the_preload(lustre: Path) -> None:
    add(lustre, "corpus/a.bin", "more/b.bin")
    service.main(arguments(lustre))
    assert service.main(arguments(lustre, "corpus", "more")) == 0
    assert left(lustre) == []
    assert status(lustre)["files_loaded"] == 1


@pytest.mark.parametrize("text", ["", "{", "[]", '{"asked": 1}', "null"])
def test_damaged_status_file_restarts_the_preload(lustre: Path, text: str) -> None:
    add(lustre, "corpus/a.bin")
    (lustre / "status.json").write_text(text)
    assert service.main(arguments(lustre)) == 0
    assert left(lustre) == []


def test_file_that_is_never_restored_is_counted(lustre: Path) -> None:
    add(lustre, "corpus/a.bin", "corpus/b.bin")
    (lustre / "stuck" / "corpus@a.bin").write_text("")
    assert service.main(arguments(lustre, passes=1)) == 0
    found = status(lustre)
    assert (found["files_loaded"], found["files_not_loaded"]) == (1, 1)


def test_full_file_system_stops_the_preload(lustre: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    add(lustre, "corpus/a.bin")
    full = os.statvfs_result((4096, 4096, 10, 0, 0, 10, 10, 10, 0, 255))
    monkeypatch.setattr(service.os, "statvfs", lambda _: full)
    assert service.main(arguments(lustre)) == 0, "trying again does not make it larger"
    assert status(lustre)["state"] == "stopped"
    assert "has 0 bytes free, the next files have 6" in status(lustre)["reason"]
    assert left(lustre) == ["corpus@a.bin"]


def test_missing_folder_stops_the_preload(lustre: Path) -> None:
    assert service.main(arguments(lustre)) == 0
    assert "corpus does not exist; check that the bucket has objects" in status(lustre)["reason"]


def test_image_without_lfs_is_reported(lustre: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    add(lustre, "corpus/a.bin")
    monkeypatch.setenv("PATH", "/nowhere")
    assert service.main(arguments(lustre)) == 1
    assert status(lustre)["reason"] == "the image has no lfs"


def test_preload_is_completed_after_any_interruption(lustre: Path) -> None:
    add(lustre, *(f"corpus/{number:02}/x" for number in range(12)))
    command = [sys.executable, "-B", "-m", "clusterwright_preload", *arguments(lustre, batch=2)]
    environment = {**os.environ, "PYTHONPATH": str(LIFECYCLE)}
    for seconds in (0.15, 0.3, 0.6):
        with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL) as running:
            try:
                running.wait(seconds)
            except subprocess.TimeoutExpired:
                running.kill()
    done = subprocess.run(command, env=environment, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert left(lustre) == []
    assert status(lustre)["state"] == "done"


names = st.text("ab.-", min_size=1, max_size=3).filter(lambda name: name not in (".", ".."))


@given(st.sets(st.lists(names, min_size=1, max_size=3).map(tuple), max_size=8), st.integers(0, 8))
def test_walk_can_be_resumed_after_any_file(
    tmp_path_factory: pytest.TempPathFactory, tree: set[tuple[str, ...]], at: int
) -> None:
    folder = tmp_path_factory.mktemp("walk")
    made = set()
    for parts in tree:
        path = folder.joinpath(*parts)
        if any(parent.is_file() for parent in path.parents) or path.exists():
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
        made.add(parts)
    everything = list(files.walk(str(folder)))
    assert set(everything) == made
    done = everything[:at]
    assert done + list(files.walk(str(folder), done[-1] if done else ())) == everything
