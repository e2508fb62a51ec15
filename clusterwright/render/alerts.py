"""The rule file of a cluster as YAML, with what was left out in its comments."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

from clusterwright.alerts.rule_file import RuleFile


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
    return "\n".join(lines) + "\n" + _yaml(found.content)


def _yaml(content: dict[str, Any]) -> str:
    from ruamel.yaml import YAML
    from ruamel.yaml.scalarstring import LiteralScalarString

    def with_blocks(value: Any) -> Any:
        """Texts of several lines as blocks."""
        if isinstance(value, dict):
            return {key: with_blocks(each) for key, each in value.items()}
        if isinstance(value, Sequence) and not isinstance(value, str):
            return [with_blocks(each) for each in value]
        if isinstance(value, str) and "\n" in value:
            return LiteralScalarString(value)
        return value

    writer = YAML()
    writer.width = 4096
    writer.indent(mapping=2, sequence=4, offset=2)
    stream = io.StringIO()
    writer.dump(with_blocks(content), stream)
    return stream.getvalue()
