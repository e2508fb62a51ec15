"""Writer of `docs/how-to/answer-an-alert.md`: `python -m tools.docs runbooks`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from clusterwright.alerts.alert import Alert, filled
from clusterwright.alerts.registry import FAMILIES

_FILE: Final = "configs/prod.yaml"
_LABEL: Final = re.compile(r"\{\{ \$labels\.(\w+) \}\}")


def page() -> str:
    """Return the page: one section for each alert."""
    head = Path(__file__).with_suffix(".md").read_text(encoding="utf-8")
    lines = [head.rstrip()]
    for title, alerts in FAMILIES.items():
        lines += ["", f"## {title}"]
        for alert in alerts:
            lines += _section(alert)
    return "\n".join(lines) + "\n"


def _section(alert: Alert) -> Iterator[str]:
    lasting = f" for {alert.for_minutes} minutes" if alert.for_minutes else ""
    yield from ("", f"### {alert.name}", "")
    yield f"{alert.severity.capitalize()}. Fires at: {alert.threshold}{lasting}. {alert.reason}"
    if alert.idle:
        yield from ("", f"Idle meanwhile: {alert.idle}.")
    yield from ("", "```sh")
    for command in alert.commands:
        text = filled(command, {"FILE": _FILE, "NAME": alert.name})
        yield f"{_LABEL.sub(lambda match: match.group(1).upper(), text)}"
    yield from ("```", "")
    for number, step in enumerate(alert.steps, start=1):
        yield f"{number}. {step}"
