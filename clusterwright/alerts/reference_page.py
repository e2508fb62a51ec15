"""Writer of `docs/reference/alerts.md`: `python -m tools.docs alerts`."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from clusterwright.alerts.alert import NEEDS, SEVERITIES, Alert
from clusterwright.alerts.registry import FAMILIES

RUNBOOKS: Final = "../how-to/answer-an-alert.md"


def page() -> str:
    """Return the page: one row for each alert."""
    head = Path(__file__).with_suffix(".md").read_text(encoding="utf-8")
    severities = "\n".join(f"- **{name}**: {about}" for name, about in SEVERITIES.items())
    lines = [head.replace("{severities}", severities).rstrip()]
    for title, alerts in FAMILIES.items():
        lines += [
            "",
            f"### {title}",
            "",
            "| Alert | Severity | Fires at | For | Needs | Without data |",
            "|---|---|---|---|---|---|",
            *map(_row, alerts),
        ]
    return "\n".join(lines) + "\n"


def _row(alert: Alert) -> str:
    lasting = f"{alert.for_minutes} min" if alert.for_minutes else "at once"
    cells = (
        f"[{alert.name}]({RUNBOOKS}#{alert.anchor})",
        alert.severity,
        alert.threshold,
        lasting,
        ", ".join(NEEDS[need] for need in alert.needs),
        _without_data(alert),
    )
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _without_data(alert: Alert) -> str:
    if alert.without_data == "itself":
        return "fires"
    if alert.without_data == "none":
        return f"does not fire. {alert.reason_without_data}"
    return f"{alert.without_data} fires"
