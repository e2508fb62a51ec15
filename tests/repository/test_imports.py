"""Import rules that import-linter does not cover."""

from __future__ import annotations

import ast
import os
import sys
import tomllib

from tests.support.imports import imported_packages, imports
from tools.import_table import parse_rows
from tools.lint.files import ROOT


def test_every_package_has_a_row_in_the_table_of_imports() -> None:
    configuration = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    table = parse_rows(configuration["contracts"][0]["packages"])
    packages = {path.parent.name for path in (ROOT / "clusterwright").glob("*/__init__.py")}
    assert packages <= table.keys()
    for package, allowed in table.items():
        named = {name.split(".")[0] for name in allowed} - {"everything"}
        assert named <= table.keys(), f"the row of {package} names a package without a row"


def test_node_code_imports_the_standard_library_only() -> None:
    folder = ROOT / "lifecycle_scripts"
    own = {path.stem for path in folder.iterdir()}
    for path in sorted(folder.rglob("*.py")):
        # The nodes' Python is 3.9: syntax that it lacks is an error here.
        tree = ast.parse(path.read_text(), os.fspath(path), feature_version=(3, 9))
        for name in imported_packages(tree) - {"clusterwright"}:
            assert name in sys.stdlib_module_names | own, (
                f"{path.relative_to(ROOT)} imports {name}"
            )


def test_node_code_imports_of_the_product_what_is_uploaded_with_it() -> None:
    for path in sorted((ROOT / "lifecycle_scripts").rglob("*.py")):
        modules = {module for module, _ in imports(ast.parse(path.read_text()))}
        ours = {name for name in modules if name.partition(".")[0] == "clusterwright"}
        assert all(name.startswith("clusterwright.diagnosis") for name in ours), path
        assert not ours or path.parent.name == "commands", path


def test_tests_outside_use_the_public_interface_of_the_local_aws() -> None:
    public = {f"clusterwright_localaws{name}" for name in ("", ".drivers", ".testing")}
    folders = [ROOT / "tests", ROOT / "packages" / "rehearsal"]
    for path in sorted(path for folder in folders for path in folder.rglob("*.py")):
        modules = {module for module, _ in imports(ast.parse(path.read_text()))}
        inner = {n for n in modules if n.startswith("clusterwright_localaws")} - public
        assert not inner, f"{path.relative_to(ROOT)} imports {inner}"


def test_the_cdk_entry_imports_only_what_is_allowed() -> None:
    tree = ast.parse((ROOT / "app.py").read_text())
    allowed = sys.stdlib_module_names | {"aws_cdk", "clusterwright", "stacks"}
    assert imported_packages(tree) <= allowed
    imported = {
        ".".join(module.split(".")[:3])
        for module, _ in imports(tree)
        if module.startswith("clusterwright.")
    }
    assert all(
        name.startswith("clusterwright.cluster_spec")
        or name == "clusterwright.preflight.cdk_plugin"
        for name in imported
    ), imported
