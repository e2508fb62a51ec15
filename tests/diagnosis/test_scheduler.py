"""The published state of the scheduler as evidence."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from clusterwright.diagnosis import scheduler
from clusterwright.diagnosis.model import Target
from tests.diagnosis.made import NOW


def texts(target: Target = Target(), **document: Any) -> list[str]:  # noqa: B008
    return [item.text for item in scheduler.of_document(document, target, NOW)]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("workers-1", ("workers-1",)),
        (
            "workers-[1-3,07],login-1",
            ("workers-1", "workers-2", "workers-3", "workers-07", "login-1"),
        ),
        ("w-[08-10]", ("w-08", "w-09", "w-10")),
        ("", ()),
    ],
)
def test_host_lists(text: str, names: tuple[str, ...]) -> None:
    assert scheduler.hosts(text) == names


def test_nodes_in_trouble_have_their_reason() -> None:
    nodes = [
        {"name": "a", "states": ["IDLE", "DRAIN"], "reason": "Low RealMemory"},
        {"name": "b", "states": ["DOWN*"], "reason": None},
        {"name": "c", "states": ["IDLE"], "reason": "old"},
        {"name": "d", "states": ["DOWN", "NOT_RESPONDING"], "reason": "none"},
        {"name": "e", "states": None},
    ]
    assert texts(nodes=nodes) == ["Low RealMemory", "DOWN without a reason", "Not responding"]


def test_reservation_of_a_node_is_evidence_for_that_node_only() -> None:
    nodes = [{"name": "a", "states": ["IDLE"], "reservation": "maintenance"}, {"name": "b"}]
    assert texts(nodes=nodes) == []
    assert texts(Target("node", "a"), nodes=nodes) == ["in the reservation maintenance"]
    assert scheduler.nodes_in({"nodes": nodes}) == {"a", "b"}


def test_usual_reason_of_a_waiting_job_is_evidence_for_that_job_only() -> None:
    pending = [{"id": "7", "reason": "Resources"}, {"id": "8", "reason": "QOSMaxJobsPerUserLimit"}]
    assert texts(pending=pending) == []
    assert texts(Target("job", "8"), pending=pending) == ["pending: QOSMaxJobsPerUserLimit"]


@pytest.mark.parametrize(
    ("start", "boot", "is_named"),
    [
        ("2026-11-23T07:00:00Z", "2026-11-23T07:05:00Z", True),
        ("2026-11-23T07:00:00Z", "2026-11-23T06:00:00Z", False),
        # The registration of a healthy node took some seconds.
        ("2026-11-23T07:00:00Z", "2026-11-23T07:00:09Z", False),
        # A batch job that was requeued: it began again after the boot.
        ("2026-11-23T07:06:00Z", "2026-11-23T07:05:00Z", False),
        ("2026-11-23T07:00:00Z", None, False),
        (None, "2026-11-23T07:05:00Z", False),
    ],
)
def test_node_that_booted_after_its_running_job_began(
    start: str | None, boot: str | None, is_named: bool
) -> None:
    nodes = [
        {"name": "a", "states": ["ALLOCATED"], "boot_time": boot},
        {"name": "b", "states": ["ALLOCATED"], "boot_time": "2026-11-23T06:00:00Z"},
    ]
    running = [{"id": "7", "user": "ada", "nodes": ["a", "b", "gone"], "since": start}]
    found = texts(nodes=nodes, running=running)
    expected = f"RUNNING since {start} on a, which booted at {boot}"
    assert found == ([expected] if is_named else [])


def test_jobs_that_completed_or_were_cancelled_are_no_evidence() -> None:
    ended = [
        {"id": "1", "state": "COMPLETED"},
        {"id": "2", "state": "CANCELLED by 1000"},
        {"id": "3", "state": "FAILED", "exit_code": "1:0", "comment": "see log"},
    ]
    assert texts(ended=ended) == ["FAILED exit 1:0; see log"]


def test_old_document_daemons_partitions_and_acceptance() -> None:
    assert texts(
        written_at="2026-11-23T07:00:00Z",
        daemons={"slurmctld": "up", "slurmdbd": "down", "munge": None},
        partitions=[{"name": "workers", "state": "DRAIN"}, {"name": "x", "state": "UP"}],
        acceptance={"a": {"state": "rejected", "reason": "xid"}, "b": {"state": "new"}},
    ) == [
        "the controller's state was written at 2026-11-23T07:00:00Z",
        "slurmdbd is down",
        "acceptance rejected: xid",
        "partition workers is DRAIN",
    ]


def test_history_that_advises_a_replacement_is_evidence() -> None:
    event = {"at": "2026-11-22T08:00:00Z", "kind": "xid", "detail": "79"}
    record = {"instance_id": "i-1", "reason": "faults on 3 days of the last 28"}
    history = {
        "a": {**record, "advice": "replace", "events": [event]},
        "b": {**record, "advice": "reboot", "events": [event]},
        "c": {**record, "advice": "none", "events": [event]},
    }
    assert texts(history=history) == [
        "history advises replace: faults on 3 days of the last 28 (2026-11-22 xid)"
    ]


def test_jobs_and_their_nodes() -> None:
    document = {
        "running": [{"id": "7", "nodes": ["a"]}],
        "ended": [{"id": "8_3", "nodes": "w-[1-2]"}],
        "nodes": [{"name": "a", "instance_id": "i-1"}],
    }
    assert scheduler.jobs_in(document) == {"7", "8_3"}
    assert scheduler.nodes_of_job(document, "8") == {"w-1", "w-2"}
    assert scheduler.names_of(document) == {"i-1": "a"}


def test_times() -> None:
    assert scheduler.time_of(1795420800) == dt.datetime(2026, 11, 23, 8, tzinfo=dt.UTC)
    assert scheduler.time_of("2026-11-23T08:00:00") == NOW
    assert scheduler.time_of("soon") is scheduler.time_of(None) is scheduler.time_of(0) is None


def test_drain_by_a_person_is_a_finding_only_for_a_question_about_the_node() -> None:
    node = {"name": "w-1", "states": ["IDLE", "DRAIN"], "reason": "kernel update"}
    document = {"nodes": [{**node, "reason_by": "ada"}]}
    (item,) = scheduler.of_document(document, Target(), NOW)
    assert not item.failed
    (item,) = scheduler.of_document(document, Target("node", "w-1"), NOW)
    assert item.failed
    (item,) = scheduler.of_document({"nodes": [{**node, "reason_by": "root"}]}, Target(), NOW)
    assert item.failed


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("4711", True),
        ("4711_3", True),
        ("4711_[1-3%2]", True),
        ("4711_[0-99:4]", True),
        ("4711_[0-99:4%10]", True),
        ("4711_[1,3,5-7,...%3]", True),
        ("4711_[0...]", True),
        ("4711_[%3]", True),
        ("4711_*", True),
        ("4711+1", True),
        ("4711.batch", True),
        ("train", False),
        ("4711_train", False),
        ("4711_[train]", False),
        ("4711_[]", False),
        ("4711*", False),
        ("0", False),
        ("4711;", False),
        ("", False),
    ],
)
def test_ids_of_jobs(text: str, expected: bool) -> None:
    assert scheduler.is_job_id(text) is expected


def test_the_record_of_an_array_is_the_whole_array() -> None:
    """slurmctld's log names the tasks that have not begun `4711_*`; squeue lists them."""
    assert scheduler.same_job("4711_[4-99%2]", "4711_*")
    assert scheduler.same_job("4711", "4711_*")
    assert not scheduler.same_job("471_[4-99%2]", "4711_*")
