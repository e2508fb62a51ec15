"""Every rule on job files has its tests, its row in the reference, a unique id and its texts."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest

from clusterwright.jobs.registry import all_rules, manifest_rules
from clusterwright.jobs.rule import FileRule
from clusterwright.preflight.registry import rule_files
from clusterwright.preflight.results import SEVERITIES

RULES: tuple[FileRule[Any], ...] = (*all_rules(), *manifest_rules())
HERE = Path(__file__).parent


def calls() -> dict[str, set[str]]:
    """Rule ids by what the tests of this folder show: fails, passes."""
    found: dict[str, set[str]] = {"fails": set(), "passes": set()}
    for path in HERE.rglob("test_*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args:
                first = node.args[0]
                if node.func.id in found and isinstance(first, ast.Constant):
                    found[node.func.id].add(str(first.value))
    return found


CALLS = calls()
UNKNOWN_ONLY = {"CW-J005"}
"""Rules that find nothing: they report what is unknown."""


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_rule_has_a_failing_and_a_passing_test(rule: FileRule[Any]) -> None:
    assert rule.id in CALLS["passes"]
    assert (rule.id in CALLS["fails"]) is (rule.id not in UNKNOWN_ONLY)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_rule_has_a_title_and_a_source(rule: FileRule[Any]) -> None:
    assert rule.severity in SEVERITIES
    for text in (rule.title, rule.prevents, rule.source):
        assert text.strip() == text
        assert len(text) > 5
        assert not text.endswith(".")
    assert rule.title[0].isupper() or rule.title[0] in "`-"


def test_ids_and_titles_are_unique_and_not_those_of_check() -> None:
    ids = [rule.id for rule in RULES]
    assert len(RULES) > 40
    assert len(set(ids)) == len(ids)
    for kind in (all_rules(), manifest_rules()):
        assert [rule.id for rule in kind] == sorted(rule.id for rule in kind)
    assert len({rule.title for rule in RULES}) == len(RULES)
    assert not set(ids) & {file.id for file in rule_files()}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_test_of_a_rule_has_the_name_of_its_module(rule: FileRule[Any]) -> None:
    name = type(rule).__module__.rpartition(".")[2]
    assert (HERE / "rules" / f"test_{name}.py").is_file()
