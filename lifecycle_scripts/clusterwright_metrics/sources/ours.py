"""The state files of Clusterwright's programs on the node: node program, health, preload."""

from __future__ import annotations

import json
import re
from typing import Any

from clusterwright_common.probe import Probe

from clusterwright_metrics.text import Metrics

ROLES = ("controller", "login", "compute")

_STATE = "/var/lib/clusterwright"


def collect(probe: Probe, metrics: Metrics) -> None:
    journal = _read(probe, f"{_STATE}/journal.json")
    if journal is not None:
        metrics.add(
            "clusterwright_node_program_unfinished",
            "gauge",
            "Whether a run of the node program ended inside a step.",
            float(journal.get("step") is not None),
        )
    health = _read(probe, f"{_STATE}/health.json")
    if health is not None and isinstance(health.get("findings"), list):
        metrics.add(
            "clusterwright_health_findings",
            "gauge",
            "Findings of the last health check of the node.",
            float(len(health["findings"])),
        )
    for name in probe.names(_STATE):
        match = re.fullmatch(r"preload-(.+)\.json", name)
        status = _read(probe, f"{_STATE}/{name}") if match else None
        if match is None or status is None:
            continue
        for key in ("files_seen", "files_loaded"):
            if isinstance(status.get(key), int):
                metrics.add(
                    f"clusterwright_preload_{key}",
                    "gauge",
                    f"{key} of the preload from S3.",
                    float(status[key]),
                    {"file_system": match.group(1)},
                )


def _read(probe: Probe, path: str) -> dict[str, Any] | None:
    try:
        found = json.loads(probe.read(path) or "null")
    except ValueError:
        return None
    return found if isinstance(found, dict) else None
