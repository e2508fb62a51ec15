"""The structure of the code: no import circles, and no very long functions."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from tests.support.imports import imports
from tools.lint.files import ROOT, repository_files

PRODUCT = (
    "app.py",
    "clusterwright",
    "lifecycle_scripts",
    "packages/localaws/clusterwright_localaws",
    "packages/rehearsal/clusterwright_rehearsal",
    "stacks",
)
_LONGEST_FUNCTION = 80


def product_files() -> list[Path]:
    roots = [ROOT / name for name in PRODUCT]
    return [
        path
        for path in repository_files()
        if path.suffix == ".py" and any(path == root or root in path.parents for root in roots)
    ]


def _module(path: Path) -> str:
    for root in ("packages/localaws", "packages/rehearsal", "lifecycle_scripts", "."):
        folder = ROOT / root
        if path.is_relative_to(folder):
            parts = path.relative_to(folder).with_suffix("").parts
            return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
    raise AssertionError(path)


def _imported(tree: ast.AST, modules: set[str]) -> Iterator[str]:
    """Those of `modules` that are imported."""
    for module, member in imports(tree):
        inner = f"{module}.{member}"
        if inner in modules:
            yield inner
        elif module in modules:
            yield module


def test_no_module_imports_itself_through_others() -> None:
    trees = {_module(path): ast.parse(path.read_text()) for path in product_files()}
    graph = {name: set(_imported(tree, trees.keys() - {name})) for name, tree in trees.items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail("import circle: " + " -> ".join(error.args[1]))


def test_no_function_is_longer_than_80_lines() -> None:
    long = [
        f"{os.fspath(path.relative_to(ROOT))}:{node.lineno} {node.name}: {lines} lines"
        for path in product_files()
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (lines := (node.end_lineno or node.lineno) - node.lineno + 1) > _LONGEST_FUNCTION
    ]
    assert not long, "\n".join(long)
