"""Writer of `docs/reference/rules.md`: `python -m tools.docs rules`."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from clusterwright.preflight.references import section
from clusterwright.preflight.registry import all_rules
from clusterwright.preflight.rule import Rule
from clusterwright.preflight.rule_platforms import platforms_text

FAMILIES: Final = {
    "B": "Budget",
    "C": "Capacity",
    "E": "Environment: names, tags and existing resources",
    "I": "Image and identity",
    "L": "Slurm and lifecycle scripts",
    "N": "Network",
    "Q": "Quotas",
    "S": "Storage",
    "W": "Waivers",
}


def page() -> str:
    """Return the page."""
    rules = all_rules()
    head = Path(__file__).with_suffix(".md").read_text(encoding="utf-8")
    lines = [head, "| Rule | Severity | AWS calls | Requirement |", "|---|---|---|---|"]
    for rule in rules:
        anchor = f"[{rule.id}](#{rule.id.lower()})"
        lines.append(f"| {anchor} | {rule.severity} | {_aws_calls(rule)} | {_cell(rule.title)} |")
    family = ""
    for rule in rules:
        if rule.id[3] != family:
            family = rule.id[3]
            lines += ["", f"## {FAMILIES[family]}"]
        lines += [
            "",
            f"### {rule.id}",
            "",
            f"{rule.title}.",
            "",
            f"- Severity: {rule.severity}",
            f"- AWS calls: {_aws_calls(rule)}",
            f"- Platforms: {platforms_text(rule.id)}",
            f"- Prevents: {rule.prevents}.",
            f"- Source: {rule.source}.",
        ]
    return "\n".join([*lines, "", *section()]) + "\n"


def _aws_calls(rule: Rule[Any]) -> str:
    return "yes (account)" if rule.account else "none (offline)"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
