"""Slurm's accounting of a run's jobs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from clusterwright.job_logs.log_text import stamp
from clusterwright.job_logs.values import time_of_day


@dataclass(frozen=True)
class JobRecord:
    """One run of a job: a requeued job has several records (`sacct --json --duplicates`).

    Times are seconds since 1970. `end` is None for a job that runs.
    """

    job_id: str
    name: str
    submit: float | None
    eligible: float | None
    start: float
    end: float | None
    state: str
    nodes: int | None
    node_list: str
    comment: str
    user: str = ""
    account: str = ""
    partition: str = ""


def records(jobs: Iterable[Mapping[str, Any]]) -> list[JobRecord]:
    """The records of jobs that started, by their start. Jobs are those of `diagnosis.sacct`."""
    found: dict[tuple[str, float], JobRecord] = {}
    for job in jobs:
        start = _time(job.get("start"))
        if start is None:
            continue
        end = _time(job.get("end"))
        count = str(job.get("node_count"))
        record = JobRecord(
            job_id=str(job.get("id") or ""),
            name=str(job.get("name") or ""),
            submit=_time(job.get("submit")),
            eligible=_time(job.get("eligible")),
            start=start,
            end=max(end, start) if end is not None else None,
            state=str(job.get("state") or ""),
            nodes=int(count) if count.isdigit() and 0 < len(count) < 9 and int(count) else None,
            node_list=str(job.get("nodes") or ""),
            comment=str(job.get("comment") or ""),
            user=str(job.get("user") or ""),
            account=str(job.get("account") or ""),
            partition=str(job.get("partition") or ""),
        )
        found[record.job_id, record.start] = record
    return sorted(found.values(), key=lambda r: (r.start, r.job_id))


def _time(value: object) -> float | None:
    """Seconds since 1970 of a number, or of sacct's text as UTC; None for 0 and `Unknown`."""
    if isinstance(value, bool):
        return None
    if isinstance(value, str):
        if value.isdigit() and len(value) < 16:
            return time_of_day(float(value)) or None
        return stamp(value)
    return time_of_day(float(value)) or None if isinstance(value, (int, float)) else None
