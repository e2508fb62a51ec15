"""Every file of the node program: standard library, Python 3.9, in the contract, tested."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest
from clusterwright_node import steps as steps_package
from clusterwright_node.catalogue import step_names
from clusterwright_node.programs import COMMON, USERS_OF_COMMON

from tests.nodes.conftest import LIFECYCLE
from tests.support.imports import imports

FILES = sorted(LIFECYCLE.rglob("*.py"))

PROGRAMS = (
    "clusterwright_acceptance",
    "clusterwright_checkpoints",
    "clusterwright_health",
    "clusterwright_metrics",
    "clusterwright_preload",
    "clusterwright_spot",
    "clusterwright_state",
)
"""Installed by the node program and permanently running; each is a separate package."""

ENTRIES = sorted(LIFECYCLE.glob("*.sh"))

STEP_FILES = sorted(
    path for path in Path(steps_package.__path__[0]).glob("*.py") if path.stem != "__init__"
)

# In the standard library of some later Python, not of 3.9.
NEWER_MODULES = {"tomllib", "annotationlib", "compression", "string.templatelib"}

# Names of functions, methods and types that Python 3.9 lacks.
NEWER_NAMES = {
    "aclosing", "aiter", "anext", "batched", "bit_count", "ExceptionGroup",
    "BaseExceptionGroup", "add_note", "file_digest", "hardlink_to", "is_junction", "kw_only",
    "LiteralString", "NotRequired", "orig_argv", "pairwise", "ParamSpec",
    "reveal_type", "Self", "slots", "stdlib_module_names", "StrEnum", "TaskGroup", "TypeAlias",
    "TypeGuard", "UTC", "walk_up", "override", "with_segments", "process_cpu_count", "EnumType",
}  # fmt: skip


def modules(path: Path) -> set[str]:
    tree = ast.parse(path.read_text())
    relative = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.level]
    assert not relative, f"{path}: relative import"
    return {module for module, _ in imports(tree)}


def tool(name: str) -> str:
    return str(Path(sys.executable).parent / name)


def test_packages_are_found() -> None:
    assert len(FILES) > 30
    assert [path.name for path in ENTRIES] == [
        "on_create.sh",
        "on_init_complete.sh",
        "on_node_configured.sh",
        "on_pcs_node.sh",
    ]
    assert len(STEP_FILES) >= 18


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_file_needs_only_the_standard_library(path: Path) -> None:
    for module in modules(path):
        top = module.split(".")[0]
        ours = path.relative_to(LIFECYCLE).parts[0]
        # Permanent programs do not import the program that installs them.
        allowed = {ours, *PROGRAMS} if ours == "clusterwright_node" else {ours}
        if ours in ("clusterwright_node", *USERS_OF_COMMON):
            allowed.add(COMMON)
        if module.startswith("clusterwright.diagnosis"):
            # Uploaded beside these files.
            allowed.add("clusterwright")
        assert top in allowed or top in sys.stdlib_module_names, module
        assert module not in NEWER_MODULES


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_file_is_python_3_9(path: Path) -> None:
    tree = ast.parse(path.read_text(), feature_version=(3, 9))
    if path.name not in ("__init__.py", "__main__.py"):
        assert "from __future__ import annotations" in path.read_text()
    for node in ast.walk(tree):
        names: list[str] = []
        if isinstance(node, ast.Attribute):
            names = [node.attr]
        elif isinstance(node, ast.Name):
            names = [node.id]
        elif isinstance(node, ast.alias):
            names = [node.name]
        elif isinstance(node, ast.keyword):
            names = [node.arg or ""]
            # zip(strict=) and dataclass(slots=, kw_only=) are 3.10.
            assert node.arg not in ("strict", "slots", "kw_only"), f"{path}:{node.lineno}"
        assert not NEWER_NAMES & set(names), f"{path}: {names}"
        # `X | Y` is evaluated outside annotations only in 3.10.
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("isinstance", "cast"):
            assert not isinstance(node.args[-1], ast.BinOp), f"{path}:{node.lineno}"


def test_entry_module_is_readable_for_old_python() -> None:
    """It reports the required Python, so older versions must be able to parse it."""
    text = (LIFECYCLE / "clusterwright_node" / "__main__.py").read_text()
    ast.parse(text, feature_version=(3, 4))
    before, after = text.split("from clusterwright_node", 1)
    assert "sys.version_info < (3, 9)" in before
    assert 'f"' not in text
    assert "import" in after


@pytest.mark.parametrize("path", STEP_FILES, ids=lambda path: path.stem)
def test_step_matches_the_contract(path: Path) -> None:
    tree = ast.parse(path.read_text())
    doc = ast.get_docstring(tree)
    assert doc
    assert doc.splitlines()[0].endswith((".", ":")), "the first line is the summary of --list"
    functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    assert {"applies", "check", "apply"} <= functions
    constants = {
        target.id
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    assert {"AFTER", "DEADLINE_SECONDS", "RETRIES"} <= constants


@pytest.mark.parametrize("path", STEP_FILES, ids=lambda path: path.stem)
def test_step_has_a_test_of_its_name(path: Path) -> None:
    test = Path(__file__).parent / "steps" / f"test_{path.stem}.py"
    tree = ast.parse(test.read_text())
    tests = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    ]
    assert len(tests) >= 2, "at least: it does its work, and it fails with a reason"


def test_no_test_of_a_removed_step_exists() -> None:
    tests = {
        path.stem.removeprefix("test_")
        for path in (Path(__file__).parent / "steps").glob("test_*")
    }
    assert tests == {path.stem for path in STEP_FILES}


def test_reference_page_lists_every_step(lifecycle: Path) -> None:
    page = (lifecycle.parent / "docs" / "reference" / "node-files.md").read_text()
    for name in step_names():
        assert f"| `{name}` |" in page


@pytest.mark.parametrize("path", ENTRIES, ids=lambda path: path.name)
def test_entry_is_valid_shell(path: Path) -> None:
    checked = subprocess.run(
        [tool("shellcheck"), path], capture_output=True, text=True, check=False
    )
    assert checked.returncode == 0, checked.stdout
    formatted = subprocess.run(
        [tool("shfmt"), "-d", "-i", "2", "-ci", path], capture_output=True, text=True, check=False
    )
    assert formatted.returncode == 0, formatted.stdout
    text = path.read_text()
    for option in ("errexit", "nounset", "pipefail"):
        assert f"set -o {option}" in text
    assert path.stat().st_mode & 0o111
    # ParallelCluster and PCS download one file to the node, which must download the others.
    thin = 110 if path.name in ("on_node_configured.sh", "on_pcs_node.sh") else 30
    assert len(text.splitlines()) < thin, "thin"
