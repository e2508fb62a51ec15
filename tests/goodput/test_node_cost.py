"""Node-hours and their cost by day, run, user and account."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clusterwright.cluster_spec import load_spec
from clusterwright.goodput.accounting import JobRecord
from clusterwright.goodput.node_cost import NO_NAME, NodeRate, NoPeriod, node_cost_report
from clusterwright.goodput.results import NodeCostReport

HOUR = 3600
MIDNIGHT = int(dt.datetime(2026, 11, 2, tzinfo=dt.UTC).timestamp())
SPEC = Path(__file__).parents[2] / "configs/examples/p5-2.yaml"
CLUSTER = load_spec(SPEC).cluster
_RATES = {"cheap": 1.0, "dear": 100.0}
NODES = sum(group.count for group in CLUSTER.compute if group.role == "compute")


def job(
    number: int, start: float, end: float | None, nodes: int | None = 1, **fields: Any
) -> JobRecord:
    """A job; times are hours after midnight."""
    stop = None if end is None else MIDNIGHT + end * HOUR
    begin = MIDNIGHT + start * HOUR
    comment = fields.pop("comment", "")
    name = fields.pop("name", "train")
    return JobRecord(
        str(number), name, begin, begin, begin, stop, "COMPLETED", nodes, "w", comment, **fields
    )


def report(*records: JobRecord, usd: float | None = 10.0, **options: Any) -> NodeCostReport:
    cluster = options.pop("cluster", CLUSTER)
    rate = NodeRate(usd, "" if usd is not None else "no source states it")
    return node_cost_report(cluster, records, lambda group: rate, file="prod.yaml", **options)


def day(hours: float) -> dt.datetime:
    return dt.datetime.fromtimestamp(MIDNIGHT + hours * HOUR, dt.UTC)


def test_job_over_midnight_belongs_to_both_days() -> None:
    found = report(job(1, 22, 27, nodes=2), since=day(0), until=day(48))
    assert [(d.date.day, d.job_node_hours, d.idle_node_hours) for d in found.days] == [
        (2, 4.0, 24 * NODES - 4.0),
        (3, 6.0, 24 * NODES - 6.0),
    ]
    assert (found.total.usd, found.total.job_usd) == (480.0 * NODES, 100.0)
    assert found.total.idle_usd == 480.0 * NODES - 100.0
    assert (found.forecast_usd_per_day, found.exit_code) == (240.0 * NODES, 0)


def test_shares_of_runs_users_and_accounts() -> None:
    found = report(
        job(1, 0, 3, name="a", comment="x run=llama y", user="ada", account="llm"),
        job(2, 3, 4, name="b", comment="run=llama", user="bob", account="llm"),
        job(3, 4, 8, name="eval", user="bob"),
    )
    assert [(r.name, r.jobs, r.node_hours, r.usd, r.share) for r in found.runs] == [
        ("eval", 1, 4.0, 40.0, 0.5),
        ("llama", 2, 4.0, 40.0, 0.5),
    ]
    assert [(r.name, r.node_hours) for r in found.users] == [("bob", 5.0), ("ada", 3.0)]
    assert [r.name for r in found.accounts] == [NO_NAME, "llm"]


def test_running_job_ends_with_the_period() -> None:
    found = report(job(1, 0, None, nodes=2), until=day(6))
    assert found.total.job_node_hours == 12.0


def test_period_is_that_of_the_accounting() -> None:
    found = report(job(1, 1, 2), job(2, 5, 9))
    assert (found.since, found.until) == (day(1), day(9))
    assert found.total.hours == 8.0


@pytest.mark.parametrize(
    ("records", "options"),
    [((), {}), ((), {"since": day(0)}), ((job(1, 0, 2),), {"since": day(3), "until": day(3)})],
)
def test_no_period(records: tuple[JobRecord, ...], options: dict[str, Any]) -> None:
    with pytest.raises(NoPeriod):
        report(*records, **options)


def test_no_job_is_idle_and_unknown() -> None:
    found = report(since=day(0), until=day(24))
    assert found.total.idle_node_hours == 24.0 * NODES
    assert ([u.what for u in found.unknown], found.exit_code) == (["jobs"], 2)


def test_unknown_rate_leaves_hours() -> None:
    found = report(job(1, 0, 2), usd=None)
    assert (found.total.job_node_hours, found.total.job_usd, found.total.idle_usd) == (
        2,
        None,
        None,
    )
    assert found.forecast_usd_per_day is None
    assert [(u.what, u.hint) for u in found.unknown] == [("rate of workers", "--prices FILE")]


def test_job_without_a_number_of_nodes_is_a_finding() -> None:
    found = report(job(1, 0, 2, nodes=None), job(2, 0, 2))
    assert [f.code for f in found.findings] == ["no-nodes"]
    assert found.total.job_node_hours == 2.0


def test_more_node_hours_than_nodes_is_a_finding() -> None:
    found = report(job(1, 0, 24, nodes=NODES + 1), until=day(24))
    assert [f.code for f in found.findings] == ["more-than-nodes"]
    assert (found.total.idle_node_hours, found.total.idle_usd) == (None, None)


def test_changing_number_of_nodes_has_no_idle_nodes() -> None:
    group = CLUSTER.compute[-1].model_copy(update={"max_count": 9})
    cluster = CLUSTER.model_copy(update={"compute": [group]})
    found = report(job(1, 0, 2), cluster=cluster)
    assert (found.total.node_hours, found.total.usd, found.total.job_usd) == (None, None, 20.0)
    assert [u.what for u in found.unknown] == ["idle nodes"]


class TestRateOfAJob:
    """Two groups with different rates, in a partition each or in one."""

    def costs(
        self,
        *partitions: dict[str, Any],
        partition: str,
        part_of: str | None = None,
        rates: Mapping[str, float] = _RATES,
    ) -> NodeCostReport:
        first = CLUSTER.compute[-1].model_copy(update={"part_of": part_of})
        groups = [first.model_copy(update={"name": name}) for name in ("cheap", "dear")]
        slurm = CLUSTER.slurm.model_copy(
            update={"partitions": [edited_partition(**p) for p in partitions]}
        )
        cluster = CLUSTER.model_copy(update={"compute": groups, "slurm": slurm})
        return node_cost_report(
            cluster,
            [job(1, 0, 1, partition=partition)],
            lambda group: NodeRate(rates[group.name]),
            file="prod.yaml",
        )

    def test_of_its_partition(self) -> None:
        own = ({"name": "p", "groups": ["cheap"]}, {"name": "q", "groups": ["dear"]})
        assert self.costs(*own, partition="q").total.job_usd == 100.0

    def test_of_a_partition_with_the_name_of_a_group(self) -> None:
        assert self.costs(partition="dear").total.job_usd == 100.0

    def test_of_the_parts_of_a_mixed_group(self) -> None:
        mixed = {"name": "p", "groups": ["whole"]}
        found = self.costs(
            mixed, partition="p", part_of="whole", rates={"cheap": 3.0, "dear": 3.0}
        )
        assert found.total.job_usd == 3.0
        assert self.costs(mixed, partition="p", part_of="whole").total.job_usd is None

    def test_unknown_in_a_partition_with_several_rates(self) -> None:
        both = {"name": "p", "groups": ["cheap", "dear"]}
        found = self.costs(both, partition="p")
        assert (found.total.job_usd, found.total.job_node_hours) == (None, 1.0)
        assert [u.what for u in found.unknown] == ["cost of jobs"]


def edited_partition(**values: Any) -> Any:
    from clusterwright.cluster_spec.models.slurm import Partition

    return Partition.model_validate(values)


@given(
    jobs=st.lists(
        st.tuples(
            st.integers(0, 200), st.integers(1, 90), st.sampled_from("abc"), st.sampled_from("xy")
        ),
        min_size=1,
        max_size=20,
    ),
    first=st.integers(0, 100),
    hours=st.integers(1, 150),
)
def test_parts_add_up(jobs: list[tuple[int, int, str, str]], first: int, hours: int) -> None:
    records = [
        job(i, start, start + length, name=run, user=user)
        for i, (start, length, run, user) in enumerate(jobs)
    ]
    found = report(*records, since=day(first), until=day(first + hours))
    inside = sum(
        max(0, min(first + hours, start + length) - max(first, start))
        for start, length, _, _ in jobs
    )
    assert found.total.job_node_hours == pytest.approx(inside)
    for shares in (found.runs, found.users, found.accounts):
        assert sum(one.node_hours for one in shares) == pytest.approx(inside)
        assert sum(one.usd or 0 for one in shares) == pytest.approx(10.0 * inside)
    for each in found.days:
        if each.idle_node_hours is not None:
            assert each.node_hours == pytest.approx(each.job_node_hours + each.idle_node_hours)
    assert found.total.hours == pytest.approx(hours)
