"""Cost of the compute nodes by day, run, user and account, and of nodes without a job.

Node-hours of a job are its nodes times its time, as Slurm's `sreport` counts them; the rates are
those of `clusterwright cost`.
"""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.goodput.accounting import JobRecord
from clusterwright.goodput.results import Day, NodeCostReport, Remark, Share, Unknown, known_sum
from clusterwright.goodput.runs import run_name

DAY_SECONDS = 86_400
NO_NAME = "(none)"
"""Jobs without a user, an account or a name."""


@dataclass(frozen=True)
class NodeRate:
    """USD per hour of one node, or why it is unknown."""

    usd_per_hour: float | None
    reason: str = ""


class NoPeriod(Exception):
    """There is no time between the start and the end of the report."""


def node_cost_report(
    cluster: Cluster,
    records: Sequence[JobRecord],
    rate: Callable[[ComputeGroup], NodeRate],
    *,
    file: str,
    since: dt.datetime | None = None,
    until: dt.datetime | None = None,
) -> NodeCostReport:
    """Distribute the node-hours of the compute groups to jobs and to idle nodes.

    Every job has its nodes alone, as on clusters whose jobs are exclusive. A job that runs ends
    at `until`. Without `since` the first job's start begins the period, without `until` the last
    time in the accounting ends it.

    Raises
    ------
    NoPeriod
        `since` is not before `until`, or there are no jobs and one of them is absent.
    """
    start, end = _period(records, since, until)
    groups = [group for group in cluster.compute if group.role == "compute"]
    rates = {group.name: rate(group) for group in groups}
    unknown = [
        Unknown(f"rate of {group.name}", rates[group.name].reason, "--prices FILE")
        for group in groups
        if rates[group.name].usd_per_hour is None
    ]
    remarks: list[Remark] = []
    used = [part for record in records for part in _parts(record, start, end, remarks)]
    prices = _by_partition(cluster, groups, rates)
    if not used:
        unknown.append(Unknown("jobs", "no job ran in the period"))
    unpriced = sorted({p.record.partition for p in used if prices(p.record) is None})
    if unpriced and not any(u.what.startswith("rate of") for u in unknown):
        names = ", ".join(name or NO_NAME for name in unpriced)
        unknown.append(
            Unknown(
                "cost of jobs",
                f"the groups of partition {names} differ in rate, or the spec does not have it",
            )
        )
    changing = [group.name for group in groups if (group.max_count or group.count) > group.count]
    if changing:
        unknown.append(
            Unknown("idle nodes", f"the number of nodes of {', '.join(changing)} changes")
        )
    fixed = None if changing else sum(group.count for group in groups)
    hourly = (
        None
        if changing
        else known_sum(_times(rates[g.name].usd_per_hour, g.count) for g in groups)
    )
    days = tuple(_days(used, prices, start, end, fixed, hourly))
    remarks += [
        Remark(
            "more-than-nodes",
            f"{day.date}: jobs had {day.job_node_hours:,.1f} node-hours of {day.node_hours:,.1f}: "
            "jobs shared nodes, or the cluster had more nodes than the file",
        )
        for day in days
        if day.node_hours is not None and day.idle_node_hours is None
    ]
    return NodeCostReport(
        file,
        cluster.environment,
        dt.datetime.fromtimestamp(start, dt.UTC),
        dt.datetime.fromtimestamp(end, dt.UTC),
        days,
        _shares(used, prices, run_name),
        _shares(used, prices, lambda record: record.user),
        _shares(used, prices, lambda record: record.account),
        None if hourly is None else hourly * 24,
        tuple(remarks),
        tuple(unknown),
    )


@dataclass(frozen=True)
class _Part:
    """The part of a job on one day."""

    record: JobRecord
    day: int
    node_hours: float


def _period(
    records: Sequence[JobRecord], since: dt.datetime | None, until: dt.datetime | None
) -> tuple[float, float]:
    times = [time for r in records for time in (r.start, r.end) if time is not None]
    if not times and (since is None or until is None):
        raise NoPeriod("the accounting has no job that started")
    start = since.timestamp() if since is not None else min(times)
    end = until.timestamp() if until is not None else max(times)
    if start >= end:
        raise NoPeriod("the period has no time")
    return start, end


def _parts(record: JobRecord, start: float, end: float, remarks: list[Remark]) -> Iterator[_Part]:
    begin, stop = max(record.start, start), min(end if record.end is None else record.end, end)
    if begin >= stop:
        return
    if record.nodes is None:
        text = f"job {record.job_id}: the accounting does not state its number of nodes"
        remarks.append(Remark("no-nodes", text))
        return
    for day in range(int(begin // DAY_SECONDS), int(stop // DAY_SECONDS) + 1):
        seconds = min(stop, (day + 1) * DAY_SECONDS) - max(begin, day * DAY_SECONDS)
        if seconds > 0:
            yield _Part(record, day, record.nodes * seconds / 3600)


def _by_partition(
    cluster: Cluster, groups: Sequence[ComputeGroup], rates: dict[str, NodeRate]
) -> Callable[[JobRecord], float | None]:
    """The rate of a job's nodes: that of its partition's groups, where they have one rate."""

    def one(names: Iterable[str]) -> float | None:
        found = {rates[name].usd_per_hour for name in names if name in rates}
        return found.pop() if len(found) == 1 else None

    every = one(group.name for group in groups)
    partitions = {
        # A group with mixed capacity is a group for each part.
        each.name: one(g.name for g in groups if {g.name, g.part_of} & set(each.groups))
        for each in cluster.slurm.partitions
    }
    own = {group.name: one([group.name]) for group in groups}

    def rate(record: JobRecord) -> float | None:
        name = record.partition
        return partitions[name] if name in partitions else own.get(name, every)

    return rate


def _days(
    parts: Sequence[_Part],
    prices: Callable[[JobRecord], float | None],
    start: float,
    end: float,
    nodes: int | None,
    hourly_usd: float | None,
) -> Iterator[Day]:
    by_day: dict[int, list[_Part]] = defaultdict(list)
    for part in parts:
        by_day[part.day].append(part)
    for day in range(int(start // DAY_SECONDS), int(end // DAY_SECONDS) + 1):
        seconds = min(end, (day + 1) * DAY_SECONDS) - max(start, day * DAY_SECONDS)
        if seconds <= 0:
            continue
        hours, own = seconds / 3600, by_day[day]
        job_hours = sum(part.node_hours for part in own)
        job_usd = known_sum(_times(prices(part.record), part.node_hours) for part in own)
        node_hours = None if nodes is None else nodes * hours
        usd = _times(hourly_usd, hours)
        # A part in 10^9 is the error of the sums.
        possible = node_hours is not None and job_hours <= node_hours * (1 + 1e-9)
        idle = max(0.0, node_hours - job_hours) if possible and node_hours is not None else None
        known = idle is not None and usd is not None and job_usd is not None
        yield Day(
            dt.datetime.fromtimestamp(day * DAY_SECONDS, dt.UTC).date(),
            hours,
            node_hours,
            job_hours,
            idle,
            usd,
            job_usd,
            max(0.0, (usd or 0) - (job_usd or 0)) if known else None,
        )


def _shares(
    parts: Sequence[_Part],
    prices: Callable[[JobRecord], float | None],
    name: Callable[[JobRecord], str],
) -> tuple[Share, ...]:
    """One row for each name, the most node-hours first."""
    found: dict[str, list[_Part]] = defaultdict(list)
    for part in parts:
        found[name(part.record) or NO_NAME].append(part)
    total = sum(part.node_hours for part in parts)
    rows = [
        Share(
            each,
            len({part.record.job_id for part in own}),
            hours := sum(part.node_hours for part in own),
            known_sum(_times(prices(part.record), part.node_hours) for part in own),
            hours / total if total else 0.0,
        )
        for each, own in found.items()
    ]
    return tuple(sorted(rows, key=lambda row: (-row.node_hours, row.name)))


def _times(rate: float | None, number: float) -> float | None:
    return None if rate is None else rate * number
