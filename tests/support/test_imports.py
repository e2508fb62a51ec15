"""The imports of Python source."""

from __future__ import annotations

import ast

from tests.support.imports import imported_names, imported_packages, imports

TREE = ast.parse("""
import os, a.b
from a import c, d
from . import relative
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    from e.f import g
def function():
    import h
""")


def test_every_absolute_import_is_found() -> None:
    assert set(imports(TREE)) == {
        ("os", None),
        ("a.b", None),
        ("a", "c"),
        ("a", "d"),
        ("typing", "TYPE_CHECKING"),
        ("e.f", "g"),
        ("h", None),
    }


def test_names_and_packages() -> None:
    assert {"os", "a.b", "a.c", "e.f.g"} <= set(imported_names(TREE))
    assert imported_packages(TREE) == {"os", "a", "typing", "e", "h"}
