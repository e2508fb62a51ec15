"""Who may import whom, as far as import-linter cannot see it."""

from __future__ import annotations

import ast
import os
import sys
import tomllib

from tools.import_rooms import parse_rows
from tools.lint.files import ROOT


def test_every_package_has_a_row_in_the_table_of_imports() -> None:
    configuration = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    table = parse_rows(configuration["contracts"][0]["rooms"])
    packages = {path.parent.name for path in (ROOT / "clusterwright").glob("*/__init__.py")}
    assert packages <= table.keys()
    for room, allowed in table.items():
        rooms = {name.split(".")[0] for name in allowed} - {"everything"}
        assert rooms <= table.keys(), f"the row of {room} names a room that has none"


def test_node_code_imports_the_standard_library_only() -> None:
    folder = ROOT / "lifecycle_scripts"
    own = {path.stem for path in folder.iterdir()}
    for path in sorted(folder.rglob("*.py")):
        # The nodes' Python is 3.9: syntax that it lacks is an error here.
        tree = ast.parse(path.read_text(), os.fspath(path), feature_version=(3, 9))
        for name in _imported_modules(tree):
            assert name in sys.stdlib_module_names | own, (
                f"{path.relative_to(ROOT)} imports {name}"
            )


def test_the_cdk_entry_imports_what_it_may_and_no_more() -> None:
    tree = ast.parse((ROOT / "app.py").read_text())
    allowed = sys.stdlib_module_names | {"aws_cdk", "clusterwright", "stacks"}
    assert set(_imported_modules(tree)) <= allowed
    rooms = {
        ".".join(node.module.split(".")[:3])
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("clusterwright.")
    }
    assert all(
        room.startswith("clusterwright.cluster_spec")
        or room == "clusterwright.preflight.cdk_plugin"
        for room in rooms
    ), rooms


def _imported_modules(tree: ast.AST) -> list[str]:
    names: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names += [alias.name.split(".")[0] for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            names.append((node.module or "").split(".")[0])
    return names
