"""`clusterwright capacity` on a node: idle nodes and the largest job; purchases are unknown."""

from __future__ import annotations

from typing import Any

from clusterwright_state.commands.view import View, of_aws, without_platform
from clusterwright_state.slurm_view import TAKES_NO_JOB

_NOT_IDLE = TAKES_NO_JOB | {"MAINT", "PLANNED", "RESERVED"}


def answer(view: View) -> dict[str, Any]:
    """The document of the command."""
    groups = [group for group in view.setting.groups if group["role"] == "compute"]
    parts = [
        of_aws("purchases and prices", "capacity"),
        *view.unknown(),
        *view.without_nodes_of_jobs(),
        *view.without_acceptance("capacity"),
    ]
    return {
        **without_platform(view.envelope("capacity", [], parts)),
        "capacity": [],
        "spares": [
            {
                "group": group["name"],
                "capacity": "unknown",
                "instance_type": group["instance_type"],
                "nodes": None,
                "spare_count": group["spare_count"],
                "idle": _idle(view, group["name"]),
                "launchable": None,
            }
            for group in groups
        ],
        "failures": [_failure(view, group["name"]) for group in groups],
        "findings": [],
        "unknown": parts,
    }


def _idle(view: View, group: str) -> Any:
    if view.state["nodes"] is None:
        return None
    return [
        node["name"]
        for node in view.nodes
        if node["group"] == group
        and "IDLE" in node["states"]
        and not _NOT_IDLE.intersection(node["states"])
        and node["reservation"] is None
        and view.acceptance(node).get("state") in (None, "accepted")
    ]


def _failure(view: View, group: str) -> dict[str, Any]:
    unpriced = {"minutes": None, "node_minutes": None, "cost_usd": None, "cost_per_hour_usd": None}
    found = {"group": group, "job": None, "job_nodes": None, "replacement": None, **unpriced}
    jobs = view.jobs_on({node["name"] for node in view.nodes if node["group"] == group})
    if jobs is None:
        return {**found, "note": "which jobs run is unknown"}
    if not jobs:
        zero = {"least": 0, "most": 0}
        nothing = {"minutes": zero, "node_minutes": zero, "cost_usd": zero, "cost_per_hour_usd": 0}
        return {**found, "job_nodes": 0, **nothing, "note": "no job runs on the group"}
    job = max(jobs, key=lambda one: (len(one["nodes"]), one["id"]))
    note = "time and price are unknown on a node: clusterwright capacity FILE from a workstation"
    return {**found, "job": job["id"], "job_nodes": len(job["nodes"]), "note": note}
