"""Reads what a run has recorded: its timeline, its nodes and the logs of their scripts."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from clusterwright_rehearsal.runs import Run
from clusterwright_rehearsal.verdict import NodeResult, NodeStatus, StepResult
from clusterwright_rehearsal.worker_client import WorkerClient

_LOG_LINES = 12


def timeline(run: Run) -> list[dict[str, Any]]:
    """The events of the run's nodes, oldest first."""
    try:
        lines = run.timeline.read_text().splitlines()
    except FileNotFoundError:
        return []
    return [json.loads(line) for line in lines]


def node_results(worker: WorkerClient) -> Iterator[NodeResult]:
    """The current nodes, with their status and the time until they were running."""
    statuses: dict[str, NodeStatus] = {}
    seconds: dict[str, float] = {}
    for event in timeline(worker.run):
        if event["event"] in ("running", "failed", "lost"):
            statuses[event["node"]] = event["event"]
        if event["event"] in ("running", "failed"):
            seconds.setdefault(event["node"], event.get("seconds", 0.0))
    for facts in worker.ask("nodes"):
        log = worker.run.folder / "logs" / facts["name"] / f"{facts['instance_id']}.log"
        yield NodeResult(
            name=facts["name"],
            host=facts["host"],
            group=facts["group"],
            role=facts["role"],
            instance_type=facts["instance_type"],
            instance_id=facts["instance_id"],
            address=facts["address"],
            status=statuses.get(facts["name"], "pending"),
            seconds=seconds.get(facts["name"]),
            log=str(log) if log.exists() else None,
        )


def step_results(run: Run) -> Iterator[StepResult]:
    """The steps of the first run of the node program on each node."""
    for directory in sorted((run.folder / "logs").glob("*")):
        files = sorted(directory.glob("*.log"), key=lambda path: path.stat().st_mtime)
        for line in files[0].read_text().splitlines() if files else ():
            with contextlib.suppress(ValueError, KeyError, TypeError):
                event = json.loads(line)
                if event["event"] == "end":
                    yield StepResult(
                        directory.name,
                        event["step"],
                        event["status"],
                        float(event["seconds"]),
                        event.get("error"),
                        _epoch(event.get("time")),
                    )


def failure_logs(run: Run) -> Iterator[tuple[str, str]]:
    """(node, the last lines of its log) for each instance that failed."""
    failed = {event["instance_id"] for event in timeline(run) if event["event"] == "failed"}
    for path in sorted((run.folder / "logs").glob("*/*.log")):
        if path.stem in failed:
            lines = [_readable(line) for line in path.read_text().splitlines()]
            yield path.parent.name, "\n".join([line for line in lines if line][-_LOG_LINES:])


def _epoch(stamp: object) -> float | None:
    """Seconds since the epoch of a timestamp; None for an unknown format of a custom script."""
    try:
        return datetime.fromisoformat(str(stamp)).timestamp()
    except (ValueError, OverflowError, OSError):
        return None


def _readable(line: str) -> str | None:
    """A log line as text; of the node program's JSON lines only errors and applied steps."""
    try:
        event = json.loads(line)
        kind = event["event"]
    except (ValueError, KeyError, TypeError):
        return line
    if kind == "end" and event.get("status") != "failed":
        return f"{event['step']}: {event['status']}" if event["status"] == "applied" else None
    text = event.get("error") or event.get("text") or event.get("trace")
    return f"{event.get('step')}: {event.get('status') or kind}: {text}" if text else None
