"""Which jobs and logs belong to a run."""

from __future__ import annotations

import re
from collections.abc import Sequence

from clusterwright.goodput.accounting import JobRecord
from clusterwright.goodput.attempts import NamedLog

_COMMENT = re.compile(r"\brun=(\S+)")


class SeveralRuns(Exception):
    """The files are of more than one run, and none is named; `names` are the runs."""

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__(", ".join(names))
        self.names = tuple(names)


def of_run(
    run: str | None, logs: Sequence[NamedLog], records: Sequence[JobRecord]
) -> tuple[list[NamedLog], list[JobRecord]]:
    """The logs and records of a run.

    A run is a chain of jobs: those with the id, the name, or a comment `run=NAME` that `run` is.
    Its logs have one of the jobs' ids, or `run` itself, in their path; if none has, they are all
    logs. Without `run` the jobs are those whose ids the logs' names have, and others of that name.

    Raises
    ------
    SeveralRuns
        `run` is None, and there are jobs of several names.
    """
    if run is None:
        chosen = _without_name(logs, records)
        own = [log for log in logs if _named(log, chosen)]
        return own or list(logs), chosen
    chosen = [r for r in records if run in _names(r)]
    own = [log for log in logs if _named(log, chosen) or _has(log.path, run)]
    if not own and chosen:
        ids = {r.job_id for r in records}
        own = [log for log in logs if not ids & set(log.numbers)]
    return own, chosen


def run_name(record: JobRecord) -> str:
    """The run of a job: NAME of its comment `run=NAME`, otherwise the job's name."""
    comment = _COMMENT.search(record.comment)
    return comment.group(1) if comment else record.name


def _names(record: JobRecord) -> set[str]:
    return {record.job_id, record.name, run_name(record)}


def _named(log: NamedLog, records: Sequence[JobRecord]) -> bool:
    return bool({r.job_id for r in records} & set(log.numbers))


def _has(path: str, run: str) -> bool:
    return re.search(rf"(?<![A-Za-z0-9]){re.escape(run)}(?![A-Za-z0-9])", path) is not None


def _without_name(logs: Sequence[NamedLog], records: Sequence[JobRecord]) -> list[JobRecord]:
    numbers = {number for log in logs for number in log.numbers}
    named = [r for r in records if r.job_id in numbers]
    names = {r.name for r in named or records}
    if len(names) > 1:
        raise SeveralRuns(sorted(names))
    return [r for r in records if r.name in names]
