"""Write the tables of `docs/reference/node-files.md`: `python -m tools.docs node-files`.

The tables of `cluster.json` and `deployment.json` come from the node program's contract, between
the comments `<!-- contract: NAME -->` and `<!-- end of contract -->`.
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import itertools
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parents[2]
PAGE: Final = ROOT / "docs" / "reference" / "node-files.md"
sys.path.append(str(ROOT / "lifecycle_scripts"))

from clusterwright_node import contract  # noqa: E402 - needs the path above
from clusterwright_node.fields import Record, Records  # noqa: E402
from clusterwright_node.parsing import REQUIRED  # noqa: E402

_MARKED = re.compile(r"(<!-- contract: (\w+) -->\n).*?(<!-- end of contract -->)", re.DOTALL)


def page(current: str) -> str:
    """The page with current tables."""

    def table(match: re.Match[str]) -> str:
        rows = _rows(getattr(contract, match.group(2)))
        lines = ["", "| Key | Type | Meaning |", "|---|---|---|", *rows, ""]
        return match.group(1) + "\n".join(lines) + "\n" + match.group(3)

    return _MARKED.sub(table, current)


def _rows(kind: type, prefix: str = "") -> Iterator[str]:
    meanings = _docstrings(kind)
    for field in dataclasses.fields(kind):
        shape: Any = field.metadata["kind"]
        key = f"{prefix}{field.name}" + ("[]" if isinstance(shape, Records) else "")
        yield f"| `{key}` | {shape.shape}{_default(field)} | {meanings[field.name]} |"
        if isinstance(shape, Record | Records):
            yield from _rows(shape.kind, f"{key}.")


def _default(field: dataclasses.Field[Any]) -> str:
    default = field.metadata["default"]
    if default is REQUIRED:
        return ""
    if dataclasses.is_dataclass(default):
        return ", optional"
    if default == ():
        return ", default empty"
    return f", default `{json.dumps(default) if not isinstance(default, str) else default}`"


def _docstrings(kind: type) -> dict[str, str]:
    """The docstring below each field, on one line."""
    tree = ast.parse(inspect.getsource(kind))
    body = next(node for node in tree.body if isinstance(node, ast.ClassDef)).body
    found = {}
    for field, doc in itertools.pairwise(body):
        if (
            isinstance(field, ast.AnnAssign)
            and isinstance(field.target, ast.Name)
            and isinstance(doc, ast.Expr)
            and isinstance(doc.value, ast.Constant)
        ):
            found[field.target.id] = " ".join(str(doc.value.value).split())
    return found
