"""The installed files of the node program against what was installed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from clusterwright_common import installation
from clusterwright_node import programs

from tests.nodes.conftest import LIFECYCLE
from tests.nodes.world import World

HEALTH = "/opt/clusterwright/lib/clusterwright_health"
KEPT = "/opt/clusterwright/scripts"


def changes(node: World) -> list[tuple[str, bool, bool]]:
    """Path, whether the file is there, and whether it was installed."""
    found = installation.read(node.root)
    assert found is not None
    return [
        (str(one["path"]), one["sha256"] is not None, one["recorded_sha256"] is not None)
        for one in found.changes
    ]


def at(node: World, path: str) -> Path:
    return node.root / path.lstrip("/")


@pytest.mark.parametrize(
    ("name", "configuration"),
    [
        ("controller-1", "managed"),
        ("controller-1", "scripted"),
        ("login-1", "parallelcluster"),
        ("login-1", "pcs"),
        ("workers-1", "managed"),
    ],
)
def test_nothing_differs_after_an_installation(
    world: Callable[..., World], name: str, configuration: str
) -> None:
    node = world(name, configuration)
    node.run()
    found = installation.read(node.root)
    assert found is not None
    assert found.changes == []
    assert list(found.versions) == [programs.version(LIFECYCLE)]
    assert found.in_short() == {"sha256": programs.version(LIFECYCLE)}
    installed = {path.name for path in at(node, "/opt/clusterwright/lib").iterdir()}
    installed = {name for name in installed if not name.endswith(".sh")}
    copies = {"scripts"} if at(node, KEPT).exists() else set()
    # The tables of failures come into the folder when it is uploaded.
    recorded = {*found.versions[programs.version(LIFECYCLE)]} - {"clusterwright"}
    assert recorded == installed | copies


def test_changed_added_and_removed_files_are_named(world: Callable[..., World]) -> None:
    node = world("workers-1")
    node.run()
    with at(node, f"{HEALTH}/program.py").open("a") as file:
        file.write("# changed\n")
    at(node, f"{HEALTH}/finding.py").unlink()
    at(node, f"{HEALTH}/checks/more.py").write_text("x = 1\n")
    at(node, "/opt/clusterwright/lib/json.py").write_text("x = 1\n")
    cache = at(node, f"{HEALTH}/__pycache__")
    cache.mkdir()
    (cache / "x.cpython-39.pyc").write_bytes(b"x")
    at(node, f"{HEALTH}/.program.py.clusterwright-new").write_text("x")
    wanted = [
        (f"{HEALTH}/checks/more.py", True, False),
        (f"{HEALTH}/finding.py", False, True),
        (f"{HEALTH}/program.py", True, True),
        ("/opt/clusterwright/lib/json.py", True, False),
    ]
    assert changes(node) == wanted
    found = installation.read(node.root)
    assert found is not None
    short = found.in_short()
    assert short["sha256"] == programs.version(LIFECYCLE)
    assert (len(short["changes"]), short["changes_count"]) == (3, 4)
    assert installation.is_short(json.loads(json.dumps(short)))
    at(node, "/opt/clusterwright/lib/json.py").unlink()
    node.run()
    assert changes(node) == []


def test_an_edited_step_of_the_copy_is_named(world: Callable[..., World]) -> None:
    node = world("controller-1", "scripted")
    node.run()
    step = f"{KEPT}/clusterwright_node/steps/slurm_files.py"
    with at(node, step).open("a") as file:
        file.write("# changed\n")
    at(node, f"{KEPT}/site_steps").mkdir()
    at(node, f"{KEPT}/site_steps/older.py").write_text("x = 1\n")
    wanted = [(step, True, True), (f"{KEPT}/site_steps/older.py", True, False)]
    assert sorted(changes(node)) == sorted(wanted)
    # The copy itself, which the service runs, must not make its state the recorded one.
    node.run(only=("slurm_files",))
    assert sorted(changes(node)) == sorted(wanted)
    node.run()
    assert changes(node) == []


def test_packages_of_another_version_are_distinguished(tmp_path: Path) -> None:
    folder = tmp_path / installation.RECORDS.lstrip("/")
    assert installation.read(tmp_path) is None
    folder.mkdir(parents=True)
    for name, version in (("a", "1"), ("b", "2"), ("c", "2")):
        (folder / f"{name}.json").write_text(installation.record("lib", version, {}))
    (folder / "damaged.json").write_text('{"schema_version": 1, "files": []}')
    found = installation.read(tmp_path)
    assert found is not None
    assert found.versions == {"1": ["a"], "2": ["b", "c"]}
    assert found.in_short() == {"sha256": None}


def test_the_version_is_that_of_the_code_and_its_data() -> None:
    contents = {"a/x.py": b"x", "a/y.json": b"y"}
    version = installation.version(contents)
    others = {
        "cluster.json": b"{}",
        "on_create.sh": b"x",
        "a/__pycache__/x.pyc": b"x",
        ".cache/x.py": b"x",
        "clusterwright/diagnosis/engine.py": b"x",
        "a/README.md": b"x",
    }
    assert installation.version({**contents, **others}) == version
    for name in contents:
        assert installation.version({**contents, name: b"z"}) != version
    assert installation.version({**contents, "b/x.py": b""}) != version


@pytest.mark.parametrize(
    ("value", "sound"),
    [
        ({"sha256": None}, True),
        ({"sha256": "a", "changes": [{"path": "/x", "sha256": None}], "changes_count": 1}, True),
        (None, False),
        ({}, True),
        ({"sha256": 1}, False),
        ({"sha256": "a", "changes": {}}, False),
        ({"sha256": "a", "changes": [1]}, False),
        ({"sha256": "a", "changes": [{"path": 1}]}, False),
        ({"sha256": "a", "changes": [{"path": "/x", "sha256": 1}]}, False),
        ({"sha256": "a", "changes_count": "1"}, False),
    ],
)
def test_what_a_copy_may_hold(value: object, sound: bool) -> None:
    assert installation.is_short(value) is sound
