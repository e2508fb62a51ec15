"""The entry scripts as HyperPod starts them: bash, real processes, commands found on PATH.

`NODE_PROGRAM_PYTHON` names another interpreter for the program, for a run with Python 3.9.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.nodes.conftest import LIFECYCLE
from tests.nodes.fake_machine import FakeMachine
from tests.nodes.world import World

SHIM = Path(__file__).with_name("shim.py")


class Deployed:
    """The folder as HyperPod downloads it, and a simulated node whose commands are on PATH."""

    def __init__(self, world: World, python: str | None = None) -> None:
        self.world = world
        self.scripts = world.folder / "inputs"
        shutil.copytree(
            LIFECYCLE,
            self.scripts,
            dirs_exist_ok=True,
            ignore=shutil.ignore_patterns("__pycache__"),
        )
        self.bin = world.folder / "bin"
        self.bin.mkdir()
        python = python or os.environ.get("NODE_PROGRAM_PYTHON") or sys.executable
        for name in commands():
            path = self.bin / name
            path.write_text(f'#!/bin/sh\nexec {sys.executable} -S {SHIM} {name} "$@"\n')
            path.chmod(0o755)
        (self.bin / "python3").write_text(f'#!/bin/sh\nexec {python} "$@"\n')
        (self.bin / "python3").chmod(0o755)

    def start(self, entry: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        environment = {
            "PATH": f"{self.bin}:/usr/bin:/bin",
            "CLUSTERWRIGHT_TEST_WORLD": str(self.world.folder),
        }
        return subprocess.run(
            ["bash", str(self.scripts / entry), "--root", str(self.world.root), *arguments],
            env=environment,
            cwd="/",
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )

    def listing(self) -> list[str]:
        return sorted(str(path) for path in self.scripts.rglob("*"))


def commands() -> list[str]:
    """Every simulated command."""
    names = [name.removeprefix("_cmd_") for name in dir(FakeMachine) if name.startswith("_cmd_")]
    return [{"mkfs_xfs": "mkfs.xfs"}.get(name, name) for name in names]


@pytest.fixture
def deployed(world: Callable[..., World]) -> Callable[..., Deployed]:
    def make(node: str, configuration: str, python: str | None = None) -> Deployed:
        made = world(node, configuration)
        # Without users, so that the real machine changes no owners and root is not needed.
        made.edit("cluster.json", lambda c: c.update(users=[], user_groups=[]))
        return Deployed(made, python)

    return make


def test_entry_configures_the_node_and_a_second_run_changes_nothing(
    deployed: Callable[..., Deployed],
) -> None:
    node = deployed("login-1", "managed")
    before = node.listing()
    first = node.start("on_init_complete.sh")
    assert first.returncode == 0, first.stdout + first.stderr
    assert first.stdout.splitlines()[-1] == "clusterwright: login-1 is ready"
    assert first.stderr == ""
    lines = [json.loads(line) for line in first.stdout.splitlines()[:-1]]
    assert any(line.get("status") == "applied" for line in lines)
    assert node.listing() == before, "nothing is written beside the scripts, byte code included"

    second = node.start("on_init_complete.sh")
    statuses = set(re.findall(r'"event": "end".*?"status": "(\w+)"', second.stdout))
    assert second.returncode == 0
    assert statuses <= {"unchanged", "skipped"}


def test_entry_of_the_scripted_configuration_works(
    deployed: Callable[..., Deployed],
) -> None:
    node = deployed("login-1", "scripted")
    # The real machine would connect to slurmctld.
    node.world.edit(
        "cluster.json", lambda c: c["node_steps"].update(slurm_daemons={"enabled": False})
    )
    node.world.edit("cluster.json", lambda c: c.update(mountpoints=[]))
    ended = node.start("on_create.sh")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert ended.stdout.splitlines()[-1] == "clusterwright: login-1 is ready"


def test_wrong_entry_is_refused_with_the_file_names(
    deployed: Callable[..., Deployed],
) -> None:
    ended = deployed("login-1", "managed").start("on_create.sh")
    assert ended.returncode == 3
    assert "on_create.sh runs the scripted configuration" in ended.stdout.splitlines()[-1]


def test_missing_inputs_are_named(deployed: Callable[..., Deployed]) -> None:
    node = deployed("login-1", "managed")
    (node.scripts / "deployment.json").unlink()
    ended = node.start("on_init_complete.sh")
    assert ended.returncode == 3
    assert f"deployment.json: not found at {node.scripts}/deployment.json" in ended.stdout


def test_resource_config_is_read_from_the_path_of_sagemaker(
    deployed: Callable[..., Deployed], monkeypatch: pytest.MonkeyPatch
) -> None:
    node = deployed("login-1", "managed")
    (node.world.root / "opt/ml/config/resource_config.json").rename(node.world.root / "rc.json")
    monkeypatch.setenv("SAGEMAKER_RESOURCE_CONFIG_PATH", "/rc.json")
    assert node.world.run().code == 0


def test_image_without_python_is_reported(deployed: Callable[..., Deployed]) -> None:
    node = deployed("login-1", "managed")
    bare = node.world.folder / "bare"
    bare.mkdir()
    for name in ("dirname", "bash"):
        (bare / name).symlink_to(shutil.which(name) or name)
    ended = subprocess.run(
        [str(bare / "bash"), str(node.scripts / "on_create.sh")],
        env={"PATH": str(bare)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 70
    assert "this image has no python3" in ended.stderr + ended.stdout


def test_old_python_is_reported(deployed: Callable[..., Deployed]) -> None:
    """As far as possible without an old Python: the check runs first."""
    node = deployed("login-1", "managed")
    main = node.scripts / "clusterwright_node" / "__main__.py"
    code = main.read_text().replace("(3, 9)", "(99, 0)")
    main.write_text(code)
    ended = node.start("on_init_complete.sh")
    assert ended.returncode == 70
    assert re.search(r"python3 is 3\.[0-9.]+\S*\. What to do: use an image", ended.stdout)
