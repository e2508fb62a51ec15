"""The rule file of a cluster as YAML, with what was left out in its comments."""

from __future__ import annotations

from clusterwright.alerts.rule_file import RuleFile
from clusterwright.alerts.rule_text import as_yaml


def rules_yaml(found: RuleFile, *, file: str, note: str | None) -> str:
    """The file for Prometheus' `rule_files`, and for `aws amp create-rule-groups-namespace`."""
    lines = [
        f"# Alert rules for Prometheus, by `clusterwright render alerts {file}`.",
        "# docs/reference/alerts.md lists them; severities are critical and warning.",
    ]
    if note is not None:
        lines.append(f"# No alert on samples applies: {note}.")
    if found.left_out:
        lines += ["#", "# Left out, because this spec does not have what they need:"]
        lines += [f"#   {each.name}: {each.reason}" for each in found.left_out]
    return "\n".join(lines) + "\n" + as_yaml(found.content)
