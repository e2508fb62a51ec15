"""Patterns of clients are compared with a time limit, by core.patterns only."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import clusterwright_localaws
from clusterwright_localaws.core.patterns import Allowance, PatternError, PatternTimeout, matches

ROOT = Path(clusterwright_localaws.__file__).parent
_COMPARISONS = frozenset(
    {"compile", "findall", "finditer", "fullmatch", "match", "search", "split", "sub", "subn"}
)
# Calls with a pattern that is not written in the module, by module and function.
ALLOWED = {
    ("iam/wildcards.py", "_segments"): "escaped characters and dots, of a fixed length",
    ("core/page_tokens.py", "may_have_one"): "the name of a member in AWS's models",
    ("iam/resources.py", "_expression"): "an ARN's form of AWS's list of actions",
    ("server/wire.py", "_with_members"): "names of an error's members",
    ("services/cloudwatch/metric_insights.py", ""): "names of the module's table, joined",
    ("probes/expectations.py", "holds"): "a pattern of the package's own probes",
    ("probes/model.py", "check_form"): "a pattern of the package's own probes",
    ("services/rds/values.py", "check_database"): "a pattern of the package's table of engines",
}


def _constants(tree: ast.Module) -> set[str]:
    """The names that a module binds to constant texts."""
    found: set[str] = set()
    for one in tree.body:
        if isinstance(one, ast.Assign):
            targets, value = one.targets, one.value
        elif isinstance(one, ast.AnnAssign) and one.value is not None:
            targets, value = [one.target], one.value
        else:
            continue
        if _is_constant(value, found):
            found |= {target.id for target in targets if isinstance(target, ast.Name)}
    return found


def _is_constant(node: ast.expr, names: set[str]) -> bool:
    if isinstance(node, ast.Constant):
        return True
    if isinstance(node, ast.Name):
        return node.id in names
    if isinstance(node, ast.JoinedStr):
        return all(_is_constant(one, names) for one in node.values)
    if isinstance(node, ast.FormattedValue):
        return _is_constant(node.value, names)
    if isinstance(node, ast.BinOp):
        return _is_constant(node.left, names) and _is_constant(node.right, names)
    return False


def _uses(source: str) -> Iterator[tuple[str, int]]:
    """The functions, and lines, that use a pattern that is not constant."""
    tree = ast.parse(source)
    names = _constants(tree)

    def visit(node: ast.AST, function: str) -> Iterator[tuple[str, int]]:
        if isinstance(node, ast.FunctionDef):
            function = node.name
        if isinstance(node, ast.ImportFrom) and node.module in ("re", "regex"):
            yield function, node.lineno
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
            and node.func.value.id in ("re", "regex")
            and node.func.attr in _COMPARISONS
        ):
            pattern = next(
                (one.value for one in node.keywords if one.arg == "pattern"),
                node.args[0] if node.args else None,
            )
            if pattern is None or not _is_constant(pattern, names):
                yield function, node.lineno
        for child in ast.iter_child_nodes(node):
            yield from visit(child, function)

    yield from visit(tree, "")


def test_every_other_pattern_is_constant() -> None:
    found = {
        (path.relative_to(ROOT).as_posix(), function): line
        for path in sorted(ROOT.rglob("*.py"))
        if path != ROOT / "core/patterns.py"
        for function, line in _uses(path.read_text())
    }
    assert {key: line for key, line in found.items() if key not in ALLOWED} == {}
    assert set(ALLOWED) <= set(found)


@pytest.mark.parametrize(
    "source",
    [
        "import re\ndef f(p): re.search(p, 'x')",
        "import regex\ndef f(p): regex.compile(p)",
        "import re\ndef f(p): re.sub(rf'a{p}', '', 'x')",
        "import re\nA = f()\ndef f(): re.match(A, 'x')",
        "import re\ndef f(p): re.split(string='x', pattern=p)",
        "from re import search\ndef f(p): search(p, 'x')",
    ],
)
def test_patterns_of_others_are_found(source: str) -> None:
    assert len(list(_uses(source))) == 1


def test_constant_patterns_are_not_found() -> None:
    source = "import re\nA = 'a' + 'b'\nB: str = rf'{A}c'\nre.search(B, 'x')\nre.sub('a', A, A)"
    assert list(_uses(source)) == []


def test_slow_comparison_is_ended() -> None:
    with pytest.raises(PatternTimeout, match="takes too long"):
        matches("(a|aa)+$", "a" * 40 + "!", whole=True)


def test_allowance_is_used_up() -> None:
    allowance = Allowance(0.05)
    for _ in range(3):
        with pytest.raises(PatternTimeout):
            matches("(a|aa)+$", "a" * 40 + "!", allowance=allowance)
    assert allowance.left_seconds < 0


@pytest.mark.parametrize("pattern", ["(", "a{99999999999}", "(" * 9_000 + ")" * 9_000])
def test_pattern_that_cannot_be_read(pattern: str) -> None:
    with pytest.raises(PatternError):
        matches(pattern, "a")


def test_part_and_whole() -> None:
    assert matches("b", "abc")
    assert not matches("b", "abc", whole=True)
    assert matches(r"\p{L}+", "é", whole=True)
