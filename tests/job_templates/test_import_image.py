"""The import of a container image, once per cluster, by job files and a stub for enroot."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from clusterwright.job_templates.slurm import fragment
from tests.job_templates.made import IMAGE, rendered

ENROOT = """#!/bin/bash
# enroot import --output FILE URI
echo "$*" >>"$FOLDER/calls"
printf half >"$3"
[[ ! -f "$FOLDER/slow" ]] || sleep 1
[[ ! -f "$FOLDER/hangs" ]] || sleep 60
[[ ! -f "$FOLDER/fails" ]] || exit 7
[[ ! -f "$FOLDER/empty" ]] || { : >"$3"; exit 0; }
[[ ! -f "$FOLDER/absent" ]] || { rm "$3"; exit 0; }
printf whole >"$3"
"""


class Node:
    """A node that imports; several have the same shared file system."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.image = folder / "images/pytorch.sqsh"
        self.started: list[subprocess.Popen[str]] = []
        program = folder / "enroot"
        program.write_text(ENROOT)
        program.chmod(0o755)

    def start(self) -> subprocess.Popen[str]:
        script = "\n".join(
            [
                "set -o errexit -o nounset -o pipefail",
                fragment("common"),
                f"IMAGE={self.image}",
                "IMAGE_URI='docker://nvcr.io#nvidia/pytorch:sha256:0123'",
                f"export ENROOT_CACHE_PATH={self.folder}/cache",
                f"export ENROOT_TEMP_PATH={self.folder}/temporary",
                fragment("image"),
                "import_image",
                'say "ready: $(cat "$IMAGE")"',
            ]
        )
        environment = {
            "PATH": f"{self.folder}:{os.environ['PATH']}",
            "FOLDER": str(self.folder),
            "SLURM_JOB_ID": "7",
        }
        started = subprocess.Popen(
            ["bash", "-c", script],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=environment,
            start_new_session=True,
        )
        self.started.append(started)
        return started

    def run(self) -> tuple[int, str]:
        """Exit code and output of an import."""
        started = self.start()
        out, _ = started.communicate(timeout=30)
        return started.returncode, out

    def set(self, name: str, *, on: bool = True) -> None:
        """How the stub behaves."""
        path = self.folder / name
        if on:
            path.touch()
        else:
            path.unlink()

    @property
    def calls(self) -> int:
        path = self.folder / "calls"
        return len(path.read_text().splitlines()) if path.exists() else 0

    @property
    def left(self) -> list[str]:
        """What lies beside the lock."""
        names = sorted(path.name for path in self.image.parent.iterdir())
        return [name for name in names if not name.endswith(".lock")]


@pytest.fixture
def node(tmp_path: Path) -> Iterator[Node]:
    made = Node(tmp_path)
    yield made
    for started in made.started:
        if started.poll() is None:
            os.killpg(started.pid, signal.SIGKILL)
            started.wait(timeout=10)
        if started.stdout is not None:
            started.stdout.close()


def test_the_first_imports_and_the_second_has_it(node: Node) -> None:
    code, out = node.run()
    assert (code, node.calls, node.left) == (0, 1, ["pytorch.sqsh"])
    assert "importing docker://nvcr.io#nvidia/pytorch:sha256:0123" in out
    assert "ready: whole" in out
    code, out = node.run()
    assert (code, node.calls) == (0, 1)
    assert "importing" not in out
    assert "ready: whole" in out


def test_jobs_at_the_same_time_import_once(node: Node) -> None:
    node.set("slow")
    started = [node.start() for _ in range(4)]
    found = [each.communicate(timeout=30)[0] for each in started]
    assert [each.returncode for each in started] == [0] * 4
    assert node.calls == 1
    assert sum("importing" in out for out in found) == 1
    assert all("ready: whole" in out for out in found)


def test_after_a_killed_import_the_next_job_imports_again(node: Node) -> None:
    node.set("hangs")
    killed = node.start()
    part = Path(f"{node.image}.part")
    deadline = time.monotonic() + 10
    while not part.exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    # As at a lost node: nothing is cleaned up.
    os.killpg(killed.pid, signal.SIGKILL)
    killed.wait(timeout=10)
    assert part.exists()
    assert not node.image.exists()
    node.set("hangs", on=False)
    code, out = node.run()
    assert (code, node.calls, node.left) == (0, 2, ["pytorch.sqsh"])
    assert "ready: whole" in out


@pytest.mark.parametrize("how", ["fails", "empty", "absent"])
def test_a_failed_import_leaves_no_half_file(node: Node, how: str) -> None:
    node.set(how)
    code, out = node.run()
    assert code == 92, out
    assert "the import of docker://nvcr.io#nvidia/pytorch:sha256:0123 failed" in out
    assert node.left == []
    node.set(how, on=False)
    assert node.run()[0] == 0
    assert node.left == ["pytorch.sqsh"]


def test_an_empty_image_is_imported_again(node: Node) -> None:
    node.image.parent.mkdir()
    node.image.touch()
    assert node.run()[0] == 0
    assert node.image.read_text() == "whole"


def test_rendered_jobs_have_this_part() -> None:
    text = rendered("fsdp2", image=IMAGE)
    assert fragment("image") in text
    assert "\nimport_image\n" in text
