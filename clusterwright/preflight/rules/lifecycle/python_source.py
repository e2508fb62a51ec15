"""Parses Python source for the nodes' version: syntax errors and imports."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from clusterwright.cluster_spec.custom_steps import NODE_PYTHON

_BLOCKS: Final = ("body", "orelse", "finalbody", "handlers", "cases")


@dataclass(frozen=True)
class ParsedSource:
    """A parsed text: the syntax error, or the modules that it imports."""

    problem: str | None
    imports: tuple[str, ...] = ()


@functools.lru_cache(maxsize=1024)
def read(text: str) -> ParsedSource:
    """Parse a text once; relative imports are omitted."""
    try:
        tree = ast.parse(text, feature_version=NODE_PYTHON)
    except (SyntaxError, ValueError) as error:
        line = f" (line {error.lineno})" if isinstance(error, SyntaxError) else ""
        return ParsedSource(f"{getattr(error, 'msg', error)}{line}")
    # The tree is not kept: those of a whole folder are large.
    return ParsedSource(None, tuple(_imports(tree)))


def _imports(tree: ast.Module) -> Iterator[str]:
    """The imports of every statement, also nested ones; expressions have none."""
    left: list[ast.AST] = [tree]
    while left:
        node = left.pop()
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            yield node.module
        for name in _BLOCKS:
            left += getattr(node, name, ())
