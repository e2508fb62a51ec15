"""Tests of several nodes: by what means they ran, rounds, and a run that is killed."""

from __future__ import annotations

import dataclasses
import json
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from clusterwright_acceptance import running
from clusterwright_acceptance.cluster_run import (
    cluster_allreduce,
    measure_pair,
    pair_outcomes,
    pair_suspects,
    run_pairs,
)
from clusterwright_acceptance.launcher import Launched
from clusterwright_acceptance.nccl_tests import NcclTests
from clusterwright_common import records

from tests.nodes.acceptance.fake_node import EXPECTED
from tests.nodes.acceptance.srun_output import through_srun

BUSY_LINE = "srun: error: Unable to allocate resources: Requested nodes are busy"
PROVIDER = "1: NCCL INFO NET/OFI Selected provider is efa, fabric is efa-direct (found {} nics)"


def nccl(rows: Mapping[int, float], wrong: int = 0, nics: int = 32) -> str:
    lines = [PROVIDER.format(nics)]
    for mib, value in rows.items():
        row = f"{mib * 2**20} 1 float sum -1 9.9 1.0 {value} {wrong} 9.9 1.0 {value} 0"
        lines.append(f"0: {row}")
    lines += ["0: # Out of bounds values : 0 OK", "0: # Avg bus bandwidth    : 100"]
    return "\n".join(lines)


class Cluster:
    """A launcher whose nodes have bandwidths; the slower node of a pair decides."""

    def __init__(self, speeds: Mapping[str, float]) -> None:
        self.speeds = dict(speeds)
        self.sent = dict.fromkeys(speeds, 0)
        self.idle: set[str] = set()
        self.dies: set[str] = set()
        self.hangs: set[str] = set()
        self.stay_busy = False
        self.busy: set[str] = set()
        self.lacks: set[str] = set()
        self.jobs: list[tuple[str, ...]] = []
        self.envs: list[Mapping[str, str]] = []
        self.nics, self.wrong = 32, 0
        self.interfaces = 2
        self.answer: Launched | None = None
        self.kill_after: int | None = None
        self.lock = threading.Lock()

    @through_srun
    def run(
        self,
        nodes: Sequence[str],
        argv: Sequence[str],
        *,
        tasks_per_node: int,
        timeout_seconds: float,
        env: Mapping[str, str],
    ) -> Launched:
        if "counters" in argv:
            rows = [
                f"{number}: " + json.dumps({"node": node, "efa": self._counters(node)})
                for number, node in enumerate(nodes)
            ]
            return Launched(0, "\n".join(rows), "")
        with self.lock:
            self.jobs.append(tuple(nodes))
            self.envs.append(env)
            if self.kill_after is not None and len(self.jobs) > self.kill_after:
                raise KeyboardInterrupt
        if self.answer is not None:
            return self.answer
        lost = tuple(node for node in nodes if node in self.dies)
        if lost:
            return Launched(1, "", "srun: error: Node failure", lost)
        if self.hangs & set(nodes):
            again = sum(bool(self.hangs & set(job)) for job in self.jobs) > 1
            busy = Launched(1, "", BUSY_LINE)
            return busy if self.stay_busy and again else Launched(None, "", "")
        if self.busy & set(nodes):
            return Launched(1, "", BUSY_LINE)
        if self.lacks & set(nodes):
            return Launched(127, "", "1: all_reduce_perf: No such file or directory")
        for node in nodes:
            self.sent[node] += 4096
        value = min(self.speeds[node] for node in nodes)
        low, high = (int(argv[argv.index(word) + 1][:-1]) for word in ("-b", "-e"))
        sizes = [low * 2**n for n in range(20) if low * 2**n <= high]
        return Launched(0, nccl(dict.fromkeys(sizes, value), self.wrong, self.nics), "")

    def _counters(self, node: str) -> dict[str, dict[str, int]]:
        moved = self.sent[node]
        return {
            "rdmap0s0": {"tx_bytes": 0, "rdma_write_bytes": moved},
            **{
                f"rdmap{number}s0": {"tx_bytes": 0 if node in self.idle else moved}
                for number in range(1, self.interfaces)
            },
        }


def cluster(count: int, **slow: float) -> Cluster:
    return Cluster({f"n{number}": slow.get(f"n{number}", 360.0) for number in range(count)})


def pairs_of(found: Cluster, path: Path, run: str = "a", **changes: Any) -> Any:
    expected = dataclasses.replace(EXPECTED, **changes)
    return run_pairs(list(found.speeds), expected, found, path, run)


def test_slow_node_is_named(tmp_path: Path) -> None:
    found = cluster(8, n5=120.0)
    conclusion, tests = pairs_of(found, tmp_path / "pairs.json")
    assert pair_suspects(conclusion) == [
        {
            "kind": "node",
            "names": ["n5"],
            "evidence": "bad with n1, n4: 120 GB/s, the floor is 312.8 GB/s",
        }
    ]
    assert len(found.jobs) == 6
    outcomes = pair_outcomes(list(found.speeds), conclusion, tests)
    assert {node: one.verdict for node, one in outcomes.items() if one.verdict != "pass"} == {
        "n5": "fail"
    }
    assert outcomes["n4"].value == 360.0
    assert found.envs[0]["NCCL_ALGO"] == "RING"


def test_killed_run_goes_on_without_repeating_pairs(tmp_path: Path) -> None:
    path = tmp_path / "pairs.json"
    found = cluster(8, n5=120.0)
    found.kill_after = 3
    with pytest.raises(KeyboardInterrupt):
        pairs_of(found, path)
    done = [(row["first"], row["second"]) for row in records.read(path)["tests"]]
    assert 1 <= len(done) <= 3
    found.kill_after, found.jobs = None, []
    conclusion, _ = pairs_of(found, path)
    assert [one.names for one in conclusion.suspects] == [("n5",)]
    assert not set(found.jobs) & set(done)
    # A new run starts again.
    found.jobs = []
    pairs_of(found, path, run="b")
    assert len(found.jobs) == 6


def test_pairs_are_compared_where_no_floor_is_known(tmp_path: Path) -> None:
    found = cluster(8, n5=300.0)
    found.nics = 16
    conclusion, _ = pairs_of(found, tmp_path / "a", instance_type="p6-b300.48xlarge")
    assert [one.names for one in conclusion.suspects] == [("n5",)]
    few = cluster(2)
    few.nics = 16
    conclusion, tests = pairs_of(few, tmp_path / "b", instance_type="p6-b300.48xlarge")
    assert (conclusion.suspects, conclusion.unknown) == ((), ("n0", "n1"))
    outcomes = pair_outcomes(["n0", "n1"], conclusion, tests)
    assert {one.verdict for one in outcomes.values()} == {"unknown"}


def test_hung_and_dying_nodes_are_named(tmp_path: Path) -> None:
    found = cluster(8)
    found.hangs, found.dies = {"n2"}, {"n7"}
    conclusion, _ = pairs_of(found, tmp_path / "a")
    assert {(one.kind, one.names) for one in conclusion.suspects} == {
        ("node", ("n2",)),
        ("lost", ("n7",)),
    }
    assert set(conclusion.cleared) == {"n0", "n1", "n3", "n4", "n5", "n6"}


def test_cause_that_is_common_to_all_is_said(tmp_path: Path) -> None:
    found = cluster(4)
    found.answer = Launched(
        0, nccl({8192: 360.0}).replace("provider is efa", "provider is tcp"), ""
    )
    conclusion, _ = pairs_of(found, tmp_path / "a")
    (suspect,) = conclusion.suspects
    assert suspect.kind == "cluster"
    assert suspect.evidence.endswith(": NCCL selected the provider tcp, not efa")


def test_program_that_is_missing_is_no_verdict(tmp_path: Path) -> None:
    found = cluster(4)
    found.answer = Launched(127, "", "all_reduce_perf: No such file or directory")
    with pytest.raises(running.Missing, match="all_reduce_perf is not on these nodes"):
        pairs_of(found, tmp_path / "a")


def test_files_that_mpi_misses_are_no_missing_program() -> None:
    """As Open MPI 5.0.7 of Debian prints it, which has its help texts in another package."""
    found = cluster(2)
    text = "0: /usr/share/openmpi/help-mpi-runtime.txt: No such file or directory\n"
    text += (
        "0: *** An error occurred in MPI_Init\nsrun: error: n0: task 0: Exited with exit code 14\n"
    )
    found.answer = Launched(14, "", text)
    assert measure_pair(("n0", "n1"), EXPECTED, found).verdict == "bad"


def test_job_that_does_not_start_is_no_verdict(tmp_path: Path) -> None:
    """As srun 24.11.5 prints it; no task ran, so nothing is known of the nodes."""
    found = cluster(4)
    text = "srun: error: Invalid MPI type 'pmix', --mpi=list for acceptable types\n"
    found.answer = Launched(1, "", f"srun: error: MPI: Unable to load any plugin\n{text}")
    with pytest.raises(running.Missing, match="Invalid MPI type"):
        pairs_of(found, tmp_path / "a")
    assert cluster_allreduce(["n0", "n1"], EXPECTED, found)[128].outcome.verdict == "unknown"
    # A program that fails on a node is one: srun names its task.
    found.answer = Launched(1, "", "srun: error: n1: task 1: Exited with exit code 1\n")
    assert measure_pair(("n0", "n1"), EXPECTED, found).verdict == "bad"


def test_node_that_stays_busy_after_a_hang_is_named(tmp_path: Path) -> None:
    """A program that hangs in a driver cannot be killed: its node does not become free."""
    found = cluster(4)
    found.hangs, found.stay_busy = {"n1"}, True
    conclusion, tests = pairs_of(found, tmp_path / "a")
    assert pair_suspects(conclusion) == [
        {"kind": "node", "names": ["n1"], "evidence": f"bad with n0, n3: {BUSY_LINE}"}
    ]
    assert conclusion.cleared == ("n0", "n2", "n3")
    assert [test.verdict for test in tests if "n1" in test.pair] == ["hung", "hung"]


def test_nodes_that_others_use_are_no_verdict(tmp_path: Path) -> None:
    found = cluster(4)
    found.answer = Launched(1, "", BUSY_LINE)
    with pytest.raises(running.Missing, match="nodes are busy"):
        pairs_of(found, tmp_path / "a")
    assert cluster_allreduce(["n0", "n1"], EXPECTED, found)[128].outcome.verdict == "unknown"


@pytest.mark.parametrize(
    ("why", "reason"),
    [("busy", BUSY_LINE), ("lacks", "all_reduce_perf is not on these nodes")],
)
def test_a_pair_that_does_not_start_leaves_the_others_alone(
    tmp_path: Path, why: str, reason: str
) -> None:
    found = cluster(8, n5=120.0)
    setattr(found, why, {"n2"})
    conclusion, tests = pairs_of(found, tmp_path / "a")
    assert [one.names for one in conclusion.suspects] == [("n5",)]
    assert set(conclusion.cleared) == set(found.speeds) - {"n2", "n5"}
    outcomes = pair_outcomes(list(found.speeds), conclusion, tests)
    assert (outcomes["n2"].verdict, outcomes["n2"].reason) == ("unknown", f"not tested: {reason}")
    assert outcomes["n3"].verdict == "pass"


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"nics": 31}, "NCCL found 31 of 32 EFA interfaces"),
        ({"wrong": 2}, "2 wrong values"),
        ({"idle": {"n1"}}, "n1: rdmap1s0 sent nothing (1 of 2)"),
    ],
)
def test_fast_pair_is_bad_by_the_wrong_means(change: dict[str, Any], reason: str) -> None:
    found = cluster(2)
    for name, value in change.items():
        setattr(found, name, value)
    one = measure_pair(("n0", "n1"), EXPECTED, found)
    assert (one.verdict, one.value, one.reason) == ("bad", 360.0, reason)


def test_unfinished_run_is_no_result() -> None:
    found = cluster(2)
    found.answer = Launched(0, nccl({8192: 360.0}).split("0: # Out")[0], "")
    assert measure_pair(("n0", "n1"), EXPECTED, found).verdict == "unreadable"
    found.answer = Launched(6, "0: Test NCCL failure", "")
    assert measure_pair(("n0", "n1"), EXPECTED, found).verdict == "bad"
    found.answer = Launched(6, nccl({8192: 360.0}), "")
    assert measure_pair(("n0", "n1"), EXPECTED, found).reason == "the job exited 6"


def test_counters_of_many_interfaces_come_in_pieces(tmp_path: Path) -> None:
    """srun writes at most 1,024 bytes of a line, and the pieces of two nodes in turn."""
    found = cluster(4)
    found.interfaces = 128
    conclusion, tests = pairs_of(found, tmp_path / "a")
    outcomes = pair_outcomes(list(found.speeds), conclusion, tests)
    assert {node: one.verdict for node, one in outcomes.items()} == dict.fromkeys(
        found.speeds, "pass"
    )
    found.idle = {"n0"}
    one = measure_pair(("n0", "n1"), EXPECTED, found)
    assert one.reason == "n0: rdmap1s0 sent nothing (127 of 128)"


def test_whole_cluster_by_size() -> None:
    found = cluster_allreduce([f"n{number}" for number in range(8)], EXPECTED, cluster(8))
    assert {mib: one.outcome.verdict for mib, one in found.items()} == dict.fromkeys(
        NcclTests.sweep_mib, "pass"
    )
    assert found[8192].outcome.floor == pytest.approx(0.85 * 355)
    slow = cluster_allreduce([f"n{n}" for n in range(8)], EXPECTED, cluster(8, n3=200.0))
    assert slow[128].outcome.verdict == "pass"
    assert slow[8192].outcome.verdict == "fail"
    assert not any(one.bad for one in (*found.values(), *slow.values()))


def test_more_nodes_than_were_measured_are_unknown() -> None:
    nodes = [f"n{number}" for number in range(33)]
    found = cluster_allreduce(nodes, EXPECTED, cluster(33))
    assert {one.outcome.verdict for one in found.values()} == {"unknown"}
    assert {one.outcome.value for one in found.values()} == {360.0}


@pytest.mark.parametrize(
    ("answer", "verdict"),
    [
        (Launched(None, "", ""), "hung"),
        (Launched(127, "", ""), "unknown"),
        (Launched(1, "", "", ("n1",)), "fail"),
        (Launched(0, "", ""), "unknown"),
    ],
)
def test_whole_cluster_without_a_result(answer: Launched, verdict: str) -> None:
    found = cluster(2)
    found.answer = answer
    outcomes = cluster_allreduce(["n0", "n1"], EXPECTED, found)
    assert {one.outcome.verdict for one in outcomes.values()} == {verdict}
    bad = {name: one.reason for name, one in outcomes[128].bad.items()}
    assert bad == dict.fromkeys(answer.lost, "the node stopped")
