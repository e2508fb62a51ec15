"""CONTRIBUTING lists every product file that names instance types or families in its code."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from tools.lint.files import ROOT, repository_files

_FOLDERS = ("clusterwright", "stacks", "lifecycle_scripts", "packages")
# Accelerated families; other types are examples in texts, or defaults such as the controller's.
_TYPE = re.compile(r"trn|(p[3-9]|trn\d|g[4-9]|inf\d)[a-z]*(-[a-z0-9]*)?\.?([a-z0-9-]*xlarge)?")


def test_contributing_lists_every_file_with_instance_types() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text()
    listed = text.partition("<!-- instance types: begin -->")[2].partition("<!--")[0]
    assert sorted(re.findall(r"^   - `([^`]+)`: ", listed, re.MULTILINE)) == sorted(_files())


def test_a_type_is_recognised_in_code_and_not_in_prose() -> None:
    assert _names_types(ast.parse('TYPES = ("p7.48xlarge", "m5.large")'))
    assert _names_types(ast.parse('def f(name): return name.startswith("p6e-gb200.")'))
    assert _names_types(ast.parse('NEURON = name.startswith(("trn", "p6e-"))'))
    assert not _names_types(ast.parse('"""p5.48xlarge"""\nTYPE = "m5.large"'))
    assert not _names_types(ast.parse('hint = "use p5.48xlarge instead"'))


def _files() -> Iterator[str]:
    for path in repository_files():
        name = path.relative_to(ROOT)
        if (
            path.suffix == ".py"
            and name.parts[0] in _FOLDERS
            and "tests" not in name.parts
            and _names_types(ast.parse(path.read_text()))
        ):
            yield name.as_posix()


def _names_types(tree: ast.Module) -> bool:
    prose = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    return any(
        isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and id(node) not in prose
        and _TYPE.fullmatch(node.value) is not None
        for node in ast.walk(tree)
    )
