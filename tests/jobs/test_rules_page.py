"""The reference page of the rules on job files."""

from __future__ import annotations

from typing import Any

from clusterwright.jobs.registry import all_rules, manifest_rules
from clusterwright.jobs.rule import FileRule
from clusterwright.jobs.rules_page import FAMILIES, page


def test_every_rule_has_a_row_and_a_section() -> None:
    text = page()
    rules: tuple[FileRule[Any], ...] = (*all_rules(), *manifest_rules())
    for rule in rules:
        assert f"| [{rule.id}](#{rule.id.lower()}) | {rule.severity} |" in text
        assert f"\n### {rule.id}\n\n{rule.title}.\n" in text
        assert f"- Prevents: {rule.prevents}.\n- Source: {rule.source}." in text


def test_families_are_sections_in_order() -> None:
    sections = [line[3:] for line in page().splitlines() if line.startswith("## ")]
    assert sections == list(dict.fromkeys(FAMILIES.values()))
