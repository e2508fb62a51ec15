"""Writer of `docs/reference/job-rules.md`: `python -m tools.docs job-rules`."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from clusterwright.jobs.registry import all_rules, manifest_rules
from clusterwright.jobs.rule import FileRule, JobRule

FAMILIES: Final = {
    "0": "The file and its options",
    "1": "The cluster: partitions, limits, nodes",
    "2": "Network, devices and environment",
    "3": "Failures, requeueing, time limits",
    "4": "Storage, images, downloads",
    "5": "Launchers and layouts",
    "6": "Security",
    "7": "Manifests of Kubernetes",
    "8": "Manifests of Kubernetes",
    "9": "Manifests of Kubernetes",
}
"""Names by the second digit from the right: the ids after CW-J099 begin again with the first."""


def page() -> str:
    """Return the page."""
    names = list(FAMILIES.values())
    rules: list[FileRule[Any]] = sorted(
        (*all_rules(), *manifest_rules()),
        key=lambda rule: (names.index(FAMILIES[rule.id[-2]]), rule.id),
    )
    head = Path(__file__).with_suffix(".md").read_text(encoding="utf-8")
    lines = [head, "| Rule | Severity | Requirement |", "|---|---|---|"]
    for rule in rules:
        title = rule.title.replace("|", "\\|")
        lines.append(f"| [{rule.id}](#{rule.id.lower()}) | {rule.severity} | {title} |")
    family = ""
    for rule in rules:
        if FAMILIES[rule.id[-2]] != family:
            family = FAMILIES[rule.id[-2]]
            lines += ["", f"## {family}"]
        lines += [
            "",
            f"### {rule.id}",
            "",
            f"{rule.title}.",
            "",
            f"- Severity: {rule.severity}",
            f"- Prevents: {rule.prevents}.",
            f"- Source: {rule.source}.",
        ]
        if isinstance(rule, JobRule) and rule.containers:
            lines.append("- Also holds for containers of manifests.")
    return "\n".join(lines) + "\n"
