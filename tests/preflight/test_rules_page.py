"""The reference page of rules."""

from __future__ import annotations

from clusterwright.preflight.registry import all_rules
from clusterwright.preflight.rules_page import FAMILIES, page


def test_every_rule_has_a_row_and_a_section() -> None:
    text = page()
    for rule in all_rules():
        assert f"| [{rule.id}](#{rule.id.lower()}) | {rule.severity} |" in text
        assert f"\n### {rule.id}\n\n{rule.title}.\n" in text
        assert f"- Prevents: {rule.prevents}.\n- Source: {rule.source}." in text


def test_families_are_sections_in_order() -> None:
    text = page()
    sections = [line[3:] for line in text.splitlines() if line.startswith("## ")]
    assert sections == [*FAMILIES.values(), "References to things outside the file"]
    assert {rule.id[3] for rule in all_rules()} == FAMILIES.keys()


def test_account_rules_make_aws_calls() -> None:
    lines = {line.split("]")[0][3:]: line for line in page().splitlines() if "| [CW-" in line}
    for rule in all_rules():
        calls = "yes (account)" if rule.account else "none (offline)"
        assert f" | {calls} | " in lines[rule.id]
