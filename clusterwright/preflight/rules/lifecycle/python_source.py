"""Python as the nodes read it: whether it is any, and what it imports. Each text is read once."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from clusterwright.cluster_spec.custom_steps import NODE_PYTHON

_BLOCKS: Final = ("body", "orelse", "finalbody", "handlers", "cases")


@dataclass(frozen=True)
class Read:
    """One text: why it is none that the nodes' Python reads, or the modules that it imports."""

    problem: str | None
    imports: tuple[str, ...] = ()


@functools.lru_cache(maxsize=1024)
def read(text: str) -> Read:
    """What `Read` says of a text; relative imports are left out."""
    try:
        tree = ast.parse(text, feature_version=NODE_PYTHON)
    except (SyntaxError, ValueError) as error:
        line = f" (line {error.lineno})" if isinstance(error, SyntaxError) else ""
        return Read(f"{getattr(error, 'msg', error)}{line}")
    # The tree is let go: those of a whole folder are large.
    return Read(None, tuple(_imports(tree)))


def _imports(tree: ast.Module) -> Iterator[str]:
    """Of every statement, nested ones too; expressions, most of a tree, hold none."""
    left: list[ast.AST] = [tree]
    while left:
        node = left.pop()
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            yield node.module
        for name in _BLOCKS:
            left += getattr(node, name, ())
