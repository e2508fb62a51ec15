"""Which evidence concerns what the user asks about, and whether that exists."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from clusterwright.diagnosis import scheduler
from clusterwright.diagnosis.model import Evidence, NotRead, Target

SUBJECTS: Final = ("deploy", "node", "job")
_SPAN: Final = re.compile(r"(\d{1,5})([mhd])")
_UNITS: Final = {"m": "minutes", "h": "hours", "d": "days"}
_OF_DEPLOYMENT: Final = frozenset(
    {
        "stack-event",
        "stack-state",
        "group-state",
        "cluster",
        "cluster-event",
        "node-status",
        "node-group",
        "scaling-activity",
        "file-system",
        "data-repository",
        "database",
        "capacity",
        "log",
    }
)
_AROUND_A_JOB: Final = frozenset(
    {
        "scheduler-node",
        "node-status",
        "cluster-event",
        "log",
        "daemon",
        "acceptance",
        "node-history",
    }
)
_MARGIN: Final = dt.timedelta(minutes=15)
_DAEMON_STREAM: Final = re.compile(
    r"/(?:slurmctld|slurmdbd|sackd|health|checkpoints|preload|spot)$"
)


def concerning(
    evidence: Iterable[Evidence],
    target: Target,
    names: Mapping[str, str],
    document: Mapping[str, Any] | None,
) -> tuple[Evidence, ...]:
    """The evidence about the target, with the names of nodes filled in.

    Parameters
    ----------
    names:
        Names of nodes by their instance ids.
    document:
        What the controller published, for the nodes and times of a job.
    """
    named = [item.about(names) for item in evidence]
    if target.subject is None:
        return tuple(named)
    if target.subject == "deploy":
        return tuple(item for item in named if _is_deployment(item))
    if target.subject == "node":
        wanted = {target.name}
        wanted |= {name for instance, name in names.items() if target.name in (instance, name)}
        wanted |= {i for i, name in names.items() if target.name in (i, name)}
        return tuple(item for item in named if _about_nodes(item, wanted))
    return _about_job(named, target.name, document or {})


def span(text: str) -> dt.timedelta | None:
    """A span such as 90m, 12h or 7d; None for anything else."""
    found = _SPAN.fullmatch(text)
    if found is None or int(found.group(1)) == 0:
        return None
    return dt.timedelta(**{_UNITS[found.group(2)]: int(found.group(1))})


def known_nodes(names: Mapping[str, str], evidence: Iterable[Evidence]) -> frozenset[str]:
    """Every name of a node: names, instance ids, and those in evidence."""
    found = {*names, *names.values()}
    for item in evidence:
        found |= {name for name in (item.node, item.instance) if name}
    return frozenset(found)


def missing(
    target: Target,
    names: Mapping[str, str],
    document: Mapping[str, Any],
    evidence: Iterable[Evidence],
) -> tuple[NotRead, ...]:
    """What the target names and no source has: an answer of nothing would be wrong."""
    if target.subject == "node":
        known = known_nodes(names, evidence) | scheduler.nodes_in(document)
        if target.name not in known:
            reason = "no source that was read has this name"
            return (NotRead(f"the node {target.name}", reason),)
    if target.subject == "job":
        jobs = scheduler.jobs_in(document)
        if not any(scheduler.same_job(job, target.name) for job in jobs):
            reason = "neither the controller's state nor a file that was read has this job"
            hint = "give its accounting or output: --sacct FILE, --log FILE"
            return (NotRead(f"the job {target.name}", reason, hint),)
    return ()


def _is_deployment(item: Evidence) -> bool:
    stream = item.fields.get("stream_name", "")
    return item.kind in _OF_DEPLOYMENT and not _DAEMON_STREAM.search(stream)


def _about_nodes(item: Evidence, wanted: set[str]) -> bool:
    if item.fields.get("ended_by") == "program":
        # The program of a job is no failure of its nodes.
        return False
    listed = item.fields.get("nodes", "").split(",")
    return bool(wanted & {item.node, item.instance, *listed} - {""})


def _about_job(
    named: Iterable[Evidence], job: str, document: Mapping[str, Any]
) -> tuple[Evidence, ...]:
    items = tuple(named)
    nodes = set(scheduler.nodes_of_job(document, job))
    own = [item for item in items if item.job and scheduler.same_job(item.job, job)]
    for item in own:
        nodes |= set(item.fields.get("nodes", "").split(",")) - {""}
    ends = [item.time for item in own if item.kind == "job" and item.time is not None]
    # A requeued job that runs again has not ended.
    end = None if scheduler.is_running(document, job) else max(ends, default=None)
    waits = any(item.kind == "pending" for item in own)
    around = [
        item
        for item in items
        if not item.job
        and item.kind in _AROUND_A_JOB
        and (_about_nodes(item, nodes) or (item.kind == "daemon" and (waits or not own)))
        and not (end is not None and item.time is not None and item.time > end + _MARGIN)
    ]
    partitions = [item for item in items if item.kind == "partition" and waits]
    return (*own, *around, *partitions)
