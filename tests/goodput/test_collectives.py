"""Time of NCCL's operations by number of nodes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clusterwright.goodput.collectives import (
    WHAT,
    InspectorFile,
    collective_times,
    read_means,
    read_operations,
)

MIB = 1024**2
NODES = {"7": {2}, "8": {4}, "2026": {2, 4}}


def record(name: str, microseconds: float, size: int = MIB) -> dict[str, Any]:
    kind = "p2p" if name in ("Send", "Recv") else "coll"
    return {
        "header": {"id": "0x7f8c", "rank": 2, "n_ranks": 8, "nnodes": 1},
        f"{kind}_perf": {
            kind: name,
            f"{kind}_sn": 1,
            f"{kind}_msg_size_bytes": size,
            f"{kind}_exec_time_us": microseconds,
        },
    }


def lines(*records: object) -> list[bytes]:
    return [json.dumps(one).encode() + b"\n" for one in records]


def every(path: str, *records: object) -> InspectorFile:
    found = read_operations(path, lines(*records))
    assert found is not None
    return found


def means(path: str, *values: tuple[str, str, float], job: str = "7") -> InspectorFile:
    return read_means(
        path,
        "".join(
            f'nccl_collective_exec_time_microseconds{{slurm_job_id="{job}",collective="{name}",'
            f'message_size="{size}"}} {value}\n'
            for name, size, value in values
        ),
    )


def test_the_sum_decides_which_operation_dominates() -> None:
    files = [
        every("7/a-pid1.log", *[record("ReduceScatter", 10.0)] * 3, record("AllReduce", 20.0, 8)),
        every("7/b-pid2.log", record("ReduceScatter", 40.0), record("Send", 10.0)),
    ]
    found, unknown = collective_times(files, NODES)
    assert unknown == ()
    assert [(one.nodes, one.operation, one.share, one.operations) for one in found] == [
        (2, "ReduceScatter", 0.7, 4),
        (2, "AllReduce", 0.2, 1),
        (2, "Send", 0.1, 1),
    ]
    # AllReduce is longer, a ReduceScatter takes 17.5 us in the mean.
    assert (found[0].longest_us, found[0].longest_bytes) == (17.5, MIB)
    assert (found[1].longest_us, found[1].longest_bytes) == (20.0, 8)


def test_means_do_not_tell_which_operation_takes_most_time() -> None:
    files = [
        means("7/nccl_inspector_metrics_a.prom", ("AllReduce", "1-2MB", 30.0)),
        means(
            "7/nccl_inspector_metrics_b.prom",
            ("AllReduce", "1-2MB", 50.0),
            ("AllGather", "8-9KB", 90.0),
        ),
    ]
    found, (unknown,) = collective_times(files, NODES)
    assert [(one.operation, one.share, one.operations) for one in found] == [
        ("AllGather", None, None),
        ("AllReduce", None, None),
    ]
    assert [(one.longest_us, one.longest_bytes) for one in found] == [(90, 8192), (40, MIB)]
    assert unknown.what == f"{WHAT} on 2 nodes"
    assert "without a number of operations" in unknown.reason
    assert unknown.hint is not None


def test_files_with_every_operation_are_preferred() -> None:
    files = [
        means("7/nccl_inspector_metrics_a.prom", ("AllReduce", "1-2MB", 30.0)),
        every("7/a-pid1.log", record("Broadcast", 1.0)),
    ]
    found, unknown = collective_times(files, NODES)
    assert ([one.operation for one in found], unknown) == (["Broadcast"], ())


def test_operations_that_were_overwritten_are_named() -> None:
    stats = {"dump_stats": {"coll_dropped_since_last_dump": 5, "p2p_dropped_since_last_dump": 2}}
    file = every("7/a.log", stats, record("AllReduce", 1.0), stats)
    assert file.dropped == 14
    (unknown,) = collective_times([file], NODES)[1]
    assert unknown.reason.startswith("14 operations were overwritten")


@pytest.mark.parametrize(
    ("path", "job", "nodes"),
    [
        ("7/x.prom", "9", 2),
        ("2026/8/x.prom", "9", 4),
        ("n8/x.prom", "9", 4),
        ("x.prom", "8", 4),
        ("nccl_inspector_metrics_8.prom", "unknown", None),
        ("2026/x.prom", "9", None),
        ("7-8/x.prom", "9", None),
    ],
)
def test_a_folder_or_the_job_tells_the_number_of_nodes(
    path: str, job: str, nodes: int | None
) -> None:
    found, unknown = collective_times([means(path, ("AllReduce", "1-2MB", 3.0), job=job)], NODES)
    assert [one.nodes for one in found] == ([] if nodes is None else [nodes])
    assert any(one.what.startswith("nodes of NCCL") for one in unknown) is (nodes is None)


def test_one_number_of_nodes_is_that_of_every_file() -> None:
    found, _ = collective_times([every("a.log", record("AllReduce", 1.0))], {"7": {16}})
    assert [one.nodes for one in found] == [16]


def test_no_runs_and_no_operations() -> None:
    assert collective_times([every("7/a.log", record("AllReduce", 1.0))], {})[0] == ()
    (unknown,) = collective_times([means("7/a.prom")], NODES)[1]
    assert (unknown.what, unknown.reason) == (WHAT, "no file of NCCL Inspector has an operation")


def test_numbers_of_nodes_without_an_operation_are_named() -> None:
    files = [every("7/a.log", record("AllReduce", 1.0)), every("8/a.log", {"coll_perf": [1]})]
    found, unknown = collective_times(files, NODES, {2, 4, 16, 1024})
    assert [one.nodes for one in found] == [2]
    assert [(one.what, one.reason) for one in unknown] == [
        (f"{WHAT} on 16, 1,024 nodes", "no file of NCCL Inspector belongs to these runs"),
        (f"{WHAT} on 4 nodes", "NCCL Inspector's files of these runs have no operation"),
    ]


@pytest.mark.parametrize(
    ("path", "job", "where", "reason"),
    [
        ("a.prom", "", "in the folder itself", "no folder's name has a number"),
        ("zz/a.prom", "", "in zz", "no folder's name has a number"),
        ("s1/a.prom", "12", "in s1", "no job of the accounting has the number 1, 12"),
        ("1/2/3/4/5/a.prom", "", "in 1/2/3/4/5", "has the number 1, 2, 3, 4 or 1 more"),
        ("2026/a.prom", "", "in 2026", "they have numbers of runs on different numbers of nodes"),
    ],
)
def test_files_of_no_run_say_why(path: str, job: str, where: str, reason: str) -> None:
    file = means(path, ("AllReduce", "1-2MB", 3.0), job=job)
    (unknown,) = collective_times([file], NODES)[1]
    assert unknown.what == f"nodes of NCCL Inspector's files {where}"
    assert reason in unknown.reason
    assert unknown.hint == "a folder for each run, with the job's id in its name"


def test_other_files_are_none() -> None:
    assert read_operations("a.log", [b"step 1\n", b'"coll_perf"\n', b'["coll_perf"]\n']) is None


VALUES = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3) | st.just({})
)


@given(VALUES, VALUES, VALUES, VALUES)
def test_any_record_is_read_or_left_out(name: Any, size: Any, time: Any, perf: Any) -> None:
    body = {"coll": name, "coll_msg_size_bytes": size, "coll_exec_time_us": time}
    found = read_operations(
        "7/a.log", lines({"coll_perf": body}, {"p2p_perf": perf}, {"dump_stats": perf})
    )
    assert found is not None
    assert all(one.microseconds > 0 and one.count == 1 for one in found.operations)
    collective_times([found], NODES)
