"""The report of a run on 1,024 nodes, with the most checks that a node has."""

from __future__ import annotations

from typing import Any

from clusterwright_acceptance import registry
from clusterwright_acceptance.outcome import Outcome

NODES = 1024


def report(run: str, level: str = "full") -> dict[str, Any]:
    """As `clusterwright_acceptance.cluster_program` writes it; every node is accepted."""
    source = "a measurement of eight such nodes with the same version of the library, 2026-03-14"
    outcome = Outcome("pass", "", 361.7248551, 339.2, "GB/s", source)
    checks = []
    for one in registry.checks(level, registry.NODE):
        row = outcome.to_json(one.id)
        del row["facts"]
        checks.append({**row, "seconds": 12.345})
    nodes = [
        {
            "name": f"ip-10-1-{number // 256}-{number % 256}",
            "group": "workers",
            "instance_id": f"i-{number:017x}",
            "instance_type": "p5.48xlarge",
            "boot_id": "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0",
            "verdict": "accepted",
            "reason": "",
            "action": "none",
            "checks": checks,
        }
        for number in range(NODES)
    ]
    return {
        "schema_version": 1,
        "run": run,
        "level": level,
        "status": "ended",
        "reason": "",
        "started_at": "2026-11-23T08:00:00Z",
        "ended_at": "2026-11-23T10:00:00Z",
        "nodes": nodes,
        "cluster_checks": [],
        "suspects": [],
        "baseline": [],
    }
