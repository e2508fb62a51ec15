"""Programs that stay on the node."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from clusterwright_common import installation
from clusterwright_node import programs, slurm_health

from tests.nodes.stub_node import stub_node
from tests.nodes.world import World


@pytest.mark.parametrize(
    ("package", "common"), [("clusterwright_health", True), ("clusterwright_spot", False)]
)
def test_a_program_is_installed_with_what_it_uses(package: str, common: bool) -> None:
    node = stub_node()
    assert not programs.is_installed(node, package)
    programs.install(node, package)
    assert programs.is_installed(node, package)
    packages = {package, "clusterwright_common"} if common else {package}
    recorded = {f"{installation.RECORDS}/{name}.json" for name in packages}
    files = node.machine.files.keys() - recorded
    assert {path.split("/")[4] for path in files} == packages
    assert recorded <= node.machine.files.keys()
    tables = {path.split("/")[-1] for path in node.machine.files if path.endswith(".json")}
    assert ("xid_verdicts.json" in tables) is common


def test_only_changed_files_are_written() -> None:
    node = stub_node()
    programs.install(node, "clusterwright_spot")
    path = f"{programs.FOLDER}/clusterwright_spot/notice.py"
    node.machine.files[path] = "changed"
    node.machine.modes.clear()
    assert not programs.is_installed(node, "clusterwright_spot")
    programs.install(node, "clusterwright_spot")
    assert list(node.machine.modes) == [path]


def test_files_of_an_earlier_version_are_removed() -> None:
    node = stub_node()
    programs.install(node, "clusterwright_spot")
    before = dict(node.machine.files)
    folder = f"{programs.FOLDER}/clusterwright_spot"
    cache = f"{folder}/__pycache__/notice.cpython-39.pyc"
    node.machine.files[cache] = "x"
    assert programs.is_installed(node, "clusterwright_spot")
    for name in ("older.py", "checks/older.json"):
        node.machine.files[f"{folder}/{name}"] = "x"
        assert not programs.is_installed(node, "clusterwright_spot")
    other = f"{programs.FOLDER}/clusterwright_other/x.py"
    node.machine.files[other] = "x"
    programs.install(node, "clusterwright_spot")
    assert node.machine.files == {**before, cache: "x", other: "x"}
    assert programs.is_installed(node, "clusterwright_spot")


def test_the_command_line_uses_the_images_python() -> None:
    assert programs.command("clusterwright_spot", "--once") == (
        "/usr/bin/env PYTHONPATH=/opt/clusterwright/lib /usr/bin/python3 -B -m "
        "clusterwright_spot --once"
    )


@pytest.mark.parametrize(
    ("name", "path", "package"),
    [
        ("login-1", "usr/local/bin/clusterwright", "clusterwright_state/commands"),
        ("workers-1", "opt/clusterwright/bin/flush-checkpoints", "clusterwright_checkpoints"),
        ("workers-1", slurm_health.PROLOG, "clusterwright_health"),
    ],
)
def test_a_script_imports_nothing_from_the_callers_folder(
    world: Callable[..., World], tmp_path: Path, name: str, path: str, package: str
) -> None:
    """`python -m` imports from the current folder first: root would run what a user left there."""
    node = world(name)
    node.run()
    folder = tmp_path / "of-another-user"
    (folder / package).mkdir(parents=True)
    (folder / package / "__main__.py").write_text("print('of another user')\n")
    (folder / "argparse.py").write_text("print('of another user')\n")
    text = (node.root / path.lstrip("/")).read_text().replace(programs.PYTHON, sys.executable)
    found = subprocess.run(
        ["/bin/sh", "-c", text, "sh"], cwd=folder, capture_output=True, text=True, check=False
    )
    assert "No module named" in found.stderr
    assert "of another user" not in found.stdout
