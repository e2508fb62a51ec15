"""The node's name in Slurm, and the state files of Clusterwright's programs on the node."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any

from clusterwright_common import xid_history
from clusterwright_common.probe import Probe

from clusterwright_metrics.text import Metrics

ROLES = ("controller", "login", "compute")

_STATE = "/var/lib/clusterwright"


def collect(probe: Probe, metrics: Metrics) -> None:
    _name(probe, metrics)
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
        counted = Counter(str(text).partition(":")[0] for text in health["findings"])
        for check, count in sorted(counted.items()):
            metrics.add(
                "clusterwright_health_findings_by_check",
                "gauge",
                "Findings of the last health check, by check: gpu, xid, efa, storage, clock, ...",
                float(count),
                {"check": check},
            )
    _xid(probe, metrics)
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


def _name(probe: Probe, metrics: Metrics) -> None:
    """Add the node's name in Slurm: on HyperPod the label `node` is another one."""
    host = (probe.read("/proc/sys/kernel/hostname") or "").strip().partition(".")[0]
    if host and probe.has("sinfo"):
        metrics.add(
            "clusterwright_node_info",
            "gauge",
            "Always 1: the name of the node in Slurm, which is its host name.",
            1.0,
            {"slurm_node": host},
        )


def _xid(probe: Probe, metrics: Metrics) -> None:
    """Messages since the machine started; DCGM has only the code of the last one.

    The record of an earlier start has no samples: the fault may be gone.
    """
    record = _read(probe, f"{_STATE}/xid.json")
    if record is None or record.get("boot") != xid_history.boot_id(probe):
        return
    rows = record.get("verdicts")
    for row in rows if isinstance(rows, list) else []:
        if isinstance(row, dict) and isinstance(row.get("count"), int):
            labels = {key: str(row.get(key) or "") for key in ("action", "bucket", "bus", "code")}
            metrics.add(
                "clusterwright_xid_messages",
                "gauge",
                "Xid messages of the driver since boot, by device and code, and what to do.",
                float(row["count"]),
                labels,
            )


def _read(probe: Probe, path: str) -> dict[str, Any] | None:
    try:
        found = json.loads(probe.read(path) or "null")
    except ValueError:
        return None
    return found if isinstance(found, dict) else None
