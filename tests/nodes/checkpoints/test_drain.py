"""Checkpoints copied from local disks to shared storage, with all failures."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from clusterwright_checkpoints import files, names
from clusterwright_checkpoints.drain import Settings, drain_run, finished, whole

LIFECYCLE = Path(__file__).parents[3] / "lifecycle_scripts"

OWNER = 12345


class Run:
    """One training run on several nodes that share a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.shared = folder / "shared" / "run"
        self.told: list[tuple[str, str, str]] = []

    def local(self, node: str = "n1") -> Path:
        path = self.folder / node / "run"
        path.mkdir(parents=True, exist_ok=True)
        return path

    def save(
        self,
        step: str,
        node: str = "n1",
        complete: str | None = "",
        content: dict[str, bytes] | None = None,
    ) -> Path:
        folder = self.local(node) / step
        default = {f"{node}/shard.bin": f"{node} {step}".encode() * 100, f"{node}.json": b"{}"}
        for path, data in (default if content is None else content).items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(data)
        folder.mkdir(exist_ok=True)
        if complete is not None:
            (folder / names.COMPLETE).write_text(complete)
        return folder

    def drain(self, node: str = "n1", **settings: Any) -> int:
        return drain_run(
            self.local(node),
            self.shared,
            Settings(node, **settings),
            lambda *event: self.told.append(event),
        )

    def check(self) -> list[str]:
        """The complete checkpoints, each verified with its manifest, and `latest`."""
        steps = whole(self.shared)
        for step in steps:
            folder = self.shared / step
            manifest = json.loads((folder / names.MANIFEST).read_text())
            for file in manifest["files"]:
                path = folder / file["path"]
                assert path.stat().st_size == file["size"]
                assert files.digest(path) == file["sha256"]
        link = self.shared / names.LATEST
        if link.is_symlink():
            assert (link / names.MANIFEST).is_file(), "latest points to what is not whole"
        return steps

    @property
    def refusals(self) -> list[str]:
        return [text for event, _, text in self.told if event == "refused"]


def latest(run: Run) -> str:
    return str((run.shared / names.LATEST).readlink())


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return Run(tmp_path)


_CALLS = ("replace", "rename", "mkdir", "unlink", "symlink_to", "open")


def _until_killed(act: Callable[[], object], at: int) -> bool:
    """Run `act` in a process that ends at its n-th change, as by SIGKILL.

    return whether it did.
    """
    child = os.fork()
    if child == 0:
        count = 0

        def counted(original: Callable[..., Any]) -> Callable[..., Any]:
            def call(*arguments: Any, **options: Any) -> Any:
                nonlocal count
                count += 1
                if count == at:
                    os._exit(9)
                result = original(*arguments, **options)
                count += 1
                if count == at:
                    os._exit(9)
                return result

            return call

        for name in _CALLS:
            setattr(Path, name, counted(getattr(Path, name)))
        os.fsync = counted(os.fsync)  # type: ignore[assignment]
        try:
            act()
        finally:
            os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9


def command(
    mode: str,
    tmp_path: Path,
    *more: str,
    program: Path = LIFECYCLE,
    python: str = sys.executable,
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [
            python,
            "-B",
            "-m",
            "clusterwright_checkpoints",
            mode,
            f"--local={tmp_path / 'n1'}",
            f"--shared={tmp_path / 'shared'}",
            "--node=n1",
            *more,
        ],
        cwd=program,
        capture_output=True,
        text=True,
        check=False,
    )


def shared_python() -> str:
    """A Python that users without access to root's home can run."""
    for python in (sys.executable, "/usr/bin/python3", "/usr/local/bin/python3"):
        try:
            tried = subprocess.run([python, "-c", ""], check=False, user=OWNER, group=OWNER)
        except OSError:
            continue
        if tried.returncode == 0:
            return python
    raise AssertionError("no Python of this machine may be run by others than root")


def test_finished_checkpoint_is_copied_and_latest_points_to_it(run: Run) -> None:
    run.save("step-9")
    run.save("step-10")
    assert run.drain() == 0
    assert run.check() == ["step-9", "step-10"]
    assert latest(run) == "step-10"
    assert sorted(p.name for p in (run.shared / "step-10").iterdir()) == [
        ".manifest.n1.json",
        "MANIFEST.json",
        "n1",
        "n1.json",
    ]
    told = len(run.told)
    assert run.drain() == 0
    assert len(run.told) == told  # a second run changes nothing


def test_unfinished_checkpoint_is_not_copied(run: Run) -> None:
    run.save("step-1", complete=None)
    run.save("step-2.partial")
    assert finished(run.local()) == []
    run.drain()
    assert run.check() == []


def test_checkpoint_is_complete_when_the_last_node_has_copied(run: Run) -> None:
    for node in ("n1", "n2", "n3"):
        run.save("step-1", node, complete="3")
    run.drain("n2")
    run.drain("n1")
    assert run.check() == []
    assert not (run.shared / "latest").exists()
    run.drain("n3")
    assert run.check() == ["step-1"]
    manifest = json.loads((run.shared / "step-1" / names.MANIFEST).read_text())
    assert manifest["nodes"] == ["n1", "n2", "n3"]
    assert len(manifest["files"]) == 6


def test_lost_node_keeps_the_last_complete_checkpoint_and_attempts_are_not_mixed(run: Run) -> None:
    for node in ("n1", "n2"):
        run.save("step-1", node, complete="2 0")
        run.drain(node)
    run.save("step-2", "n1", complete="2 0")
    run.drain("n1")  # and n2 is lost
    assert run.check() == ["step-1"]
    assert latest(run) == "step-1"
    shutil.rmtree(run.local("n1") / "step-2")
    for node in ("n1", "n2"):
        run.save("step-2", node, complete="2 1", content={f"{node}.bin": b"of attempt 1"})
        run.drain(node)
    assert run.check() == ["step-1", "step-2"]
    assert (run.shared / "step-2/n1.bin").read_bytes() == b"of attempt 1"
    assert not (run.shared / "step-2/n1").exists()
    run.drain("n1")
    assert not list(run.shared.glob("*.partial"))  # the failed attempt is removed


def test_conflicting_files_of_two_nodes_are_refused(run: Run) -> None:
    run.save("step-1", "n1", complete="2", content={"model.bin": b"one"})
    run.save("step-1", "n2", complete="2", content={"model.bin": b"two"})
    assert run.drain("n1") == 0
    assert run.drain("n2") == 1
    assert "model.bin already exists with different content" in run.refusals[0]
    assert run.check() == []


def test_identical_files_of_two_nodes_are_accepted(run: Run) -> None:
    for node in ("n1", "n2"):
        run.save("step-1", node, complete="2", content={"config.json": b"{}"})
        assert run.drain(node) == 0
    assert run.check() == ["step-1"]


@pytest.mark.parametrize("text", ["zero", "0", "-1", "1 2 3", "1 ../..", "1.5"])
def test_invalid_complete_file_is_refused(run: Run, text: str) -> None:
    run.save("step-1", complete=text)
    assert run.drain() == 1
    assert "expected a number of nodes and an attempt" in run.refusals[0]


def test_contradictory_nodes_are_refused(run: Run) -> None:
    run.save("step-1", "n1", complete="2")
    run.save("step-1", "n2", complete="1")
    run.drain("n1")
    run.drain("n2")
    assert run.check() == []
    assert "report different numbers" in run.refusals[0]


@pytest.mark.parametrize("name", ["link", "pipe"])
def test_special_files_are_refused(run: Run, tmp_path: Path, name: str) -> None:
    (tmp_path / "secret").write_text("not yours")
    folder = run.save("step-1")
    if name == "link":
        (folder / name).symlink_to(tmp_path / "secret")
    else:
        os.mkfifo(folder / name)
    assert run.drain() == 1
    assert "neither a file nor a folder" in run.refusals[0]
    assert not list((tmp_path / "shared").rglob(name))


def test_reserved_names_and_empty_checkpoints_are_refused(run: Run) -> None:
    run.save("a", content={})
    run.save("b", content={"MANIFEST.json": b"{}"})
    run.save("c", content={".manifest.n2.json": b"{}"})
    run.save("good")
    assert run.drain() == 3
    assert run.check() == ["good"]


def test_only_copied_checkpoints_are_removed(run: Run) -> None:
    for number in range(1, 5):
        run.save(f"step-{number}", complete="1")
    run.save("step-5", complete="2")  # the part of the other node is missing
    run.drain(keep_local=1, keep_shared=2)
    assert run.check() == ["step-3", "step-4"]
    assert finished(run.local()) == ["step-4", "step-5"]
    run.drain(keep_local=0, keep_shared=0)
    assert run.check() == ["step-4"]  # the newest is kept in every case
    assert finished(run.local()) == ["step-5"]


def test_file_that_changes_during_the_copy_is_refused(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = run.save("step-1", content={"a.bin": b"x" * 100})
    original = os.fsync

    def fsync(handle: int) -> None:
        (folder / "a.bin").write_bytes(b"y" * 101)
        original(handle)

    monkeypatch.setattr(files.os, "fsync", fsync)
    assert run.drain() == 1
    assert "changed while it was copied" in run.refusals[0]
    monkeypatch.undo()
    assert run.drain() == 0
    assert run.check() == ["step-1"]


def test_last_complete_checkpoint_is_usable_after_any_interruption(
    tmp_path: Path,
) -> None:
    point = 0
    while True:
        point += 1
        run = Run(tmp_path / str(point))
        run.save("step-1")
        run.drain()
        for node in ("n1", "n2"):
            run.save("step-2", node, complete="2")
        run.drain("n2")
        killed = _until_killed(partial(run.drain, keep_local=0, keep_shared=1), point)
        steps = run.check()
        assert steps, f"nothing whole after point {point}"
        assert latest(run) in ("step-1", "step-2")
        assert run.drain(keep_local=0, keep_shared=1) == 0
        assert run.check() == ["step-2"]
        assert latest(run) == "step-2"
        assert finished(run.local()) == []
        left = [p.name for p in run.shared.rglob("*") if p.name.endswith((".tmp", ".removed"))]
        assert left == []
        if not killed:
            break
    assert point > 30  # there are that many points


def test_flush_waits_until_all_checkpoints_are_complete(run: Run, tmp_path: Path) -> None:
    run.save("step-1")
    run.save("step-2", complete="2")
    # Long enough for the copies on a loaded machine.
    done = command("flush", tmp_path, "--timeout-seconds=4")
    assert done.returncode == 1
    assert done.stderr == "not yet on shared storage: run/step-2\n"
    events = [json.loads(line)["event"] for line in done.stdout.splitlines()]
    assert events[:3] == ["copied", "copied", "whole"]
    run.save("step-2", "n2", complete="2")
    run.drain("n2")
    assert command("flush", tmp_path, "--timeout-seconds=60").returncode == 0
    assert run.check() == ["step-1", "step-2"]


def test_flush_waits_for_one_run_or_the_callers_runs(run: Run, tmp_path: Path) -> None:
    """A job does not wait for unfinished checkpoints of others."""
    run.save("step-1", complete="2")
    done = command("flush", tmp_path, "--timeout-seconds=0.5", "--run=another")
    assert (done.returncode, done.stdout) == (0, "")
    assert command("flush", tmp_path, "--timeout-seconds=0.5", "--run=run").returncode == 1
    others = subprocess.run(
        [
            *(sys.executable, "-B", "-c"),
            "import os, sys; os.geteuid = lambda: 54321\n"
            "from clusterwright_checkpoints.service import main; sys.exit(main(sys.argv[1:]))",
            *("flush", f"--local={tmp_path / 'n1'}", f"--shared={tmp_path / 'shared'}"),
            *("--node=n1", "--timeout-seconds=0.5"),
        ],
        cwd=LIFECYCLE,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (others.returncode, others.stdout) == (0, "")


def test_node_without_runs_does_nothing(tmp_path: Path) -> None:
    done = command("once", tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be another user")
def test_root_copies_as_the_owner_of_the_run() -> None:
    """A user's hard link does not make root read files of root."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        shutil.copytree(LIFECYCLE, folder / "program")
        run = Run(folder)
        secret = folder / "secret"
        secret.write_text("root's own")
        secret.chmod(0o600)
        step = run.save("step-1", content={"a.bin": b"mine"})
        for path in (run.local(), step, *step.iterdir()):
            os.chown(path, OWNER, OWNER)
        os.link(secret, step / "stolen")
        run.shared.parent.mkdir()
        run.shared.parent.chmod(0o1777)
        done = command("once", folder, program=folder / "program", python=shared_python())
        assert done.returncode == 1
        assert "Permission denied" in done.stdout
        assert not list(run.shared.rglob("stolen"))
        (step / "stolen").unlink()
        done = command("once", folder, program=folder / "program", python=shared_python())
        assert done.returncode == 0, done.stdout
        assert (run.shared / "step-1" / "a.bin").stat().st_uid == OWNER
