"""The permanent copy of the program."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from clusterwright_common import installation
from clusterwright_node import kept_scripts

from tests.nodes.stub_node import stub_node
from tests.nodes.world import World

OLDER = f"{kept_scripts.FOLDER}/clusterwright_node/steps/older.py"


def test_files_of_an_earlier_version_are_those_that_are_not_wanted() -> None:
    wanted = {f"{kept_scripts.FOLDER}/clusterwright_node/main.py": "x"}
    inputs = {f"{kept_scripts.FOLDER}/cluster.json": "{}"}
    node = stub_node(files={**wanted, **inputs, OLDER: "x"})
    assert kept_scripts.left_over(node, wanted) == [OLDER]


def test_what_differs_is_named_and_installed() -> None:
    main = f"{kept_scripts.FOLDER}/clusterwright_node/main.py"
    program = "/opt/clusterwright/lib/follow.sh"
    wanted = {main: "x", program: "y"}
    node = stub_node(files={main: "old", OLDER: "x"})
    assert kept_scripts.problem(node, wanted) == f"{main} is missing or outdated"
    kept_scripts.install(node, wanted, program)
    assert kept_scripts.problem(node, wanted) is None
    assert node.machine.modes == {main: 0o644, program: 0o755}  # type: ignore[attr-defined]
    assert not node.machine.exists(OLDER)
    node.machine.write_text(OLDER, "x")
    assert kept_scripts.problem(node, wanted) == "files of an earlier version are left"


@pytest.mark.parametrize(
    ("name", "configuration"), [("controller-1", "scripted"), ("login-1", "pcs")]
)
def test_an_update_removes_them_and_records_the_copy(
    world: Callable[..., World], name: str, configuration: str
) -> None:
    node = world(name, configuration)
    node.run()
    older = node.root / OLDER.lstrip("/")
    older.write_text("x = 1\n")
    inputs = node.root / kept_scripts.FOLDER.lstrip("/") / "cluster.json"
    before = inputs.read_text()
    node.run()
    assert not older.exists()
    assert inputs.read_text() == before
    path = node.root / installation.RECORDS.lstrip("/") / "scripts.json"
    recorded = json.loads(path.read_text())
    assert recorded["folder"] == "scripts"
    assert "clusterwright_node/main.py" in recorded["files"]
    assert not {"cluster.json", "clusterwright_node/steps/older.py"} & recorded["files"].keys()
