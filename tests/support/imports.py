"""The imports of Python source, for tests of the structure."""

from __future__ import annotations

import ast
from collections.abc import Iterator


def imports(tree: ast.AST) -> Iterator[tuple[str, str | None]]:
    """Every absolute import as (module, member), also under TYPE_CHECKING and in functions.

    `import a.b` has no member; `from a import b, c` is two imports.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, None) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield from ((node.module, alias.name) for alias in node.names)


def imported_names(tree: ast.AST) -> list[str]:
    """Every import as a dotted name, with the member: `a.b`."""
    return [module if name is None else f"{module}.{name}" for module, name in imports(tree)]


def imported_packages(tree: ast.AST) -> set[str]:
    """The first part of every imported module."""
    return {module.partition(".")[0] for module, _ in imports(tree)}
