"""Python source, parsed for the version of nodes."""

from __future__ import annotations

import pytest

from clusterwright.preflight.rules.lifecycle.python_source import ParsedSource, read


def test_imports_of_every_statement() -> None:
    text = """
import os, sys.path
from json import loads
from . import sibling
def f():
    import yaml
    if True:
        from a.b import c
    try:
        pass
    except ValueError:
        import handler
"""
    found = read(text)
    assert found.problem is None
    assert sorted(found.imports) == ["a.b", "handler", "json", "os", "sys.path", "yaml"]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("def f(:\n", "(line 1)"),
        ("match x:\n    case 1:\n        pass\n", "Python 3.10 and greater (line "),
        ("a = 1\nb = \n", "(line 2)"),
        ("\0", "null byte"),
    ],
)
def test_syntax_that_nodes_do_not_support(text: str, problem: str) -> None:
    found = read(text)
    assert found.problem is not None
    assert problem in found.problem
    assert found.imports == ()


def test_a_text_is_parsed_once() -> None:
    assert read("import os") is read("import os") == ParsedSource(None, ("os",))
