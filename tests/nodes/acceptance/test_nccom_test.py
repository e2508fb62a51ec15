"""The all-reduce of nodes with Neuron devices: what is concluded from the ends of nccom-test."""

from __future__ import annotations

import dataclasses
import json
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from clusterwright_acceptance import cluster_run, floors
from clusterwright_acceptance.cluster_run import cluster_allreduce, measure_pair, pair_suspects
from clusterwright_acceptance.expected import Expected
from clusterwright_acceptance.kubernetes_launcher import KubernetesLauncher
from clusterwright_acceptance.launcher import Launched
from clusterwright_acceptance.nccom_test import RANKS_OF_DEVICE, NccomTest
from clusterwright_acceptance.running import Missing

from clusterwright.catalog.neuron_cores import CORES_OF_CHIP, LOGICAL_CORES_OF_CHIP
from tests.nodes.acceptance.fake_kubernetes import NAMESPACE, FakeKubernetes, template
from tests.nodes.acceptance.srun_output import through_srun

TRN1 = Expected("node", "trn1.32xlarge", "neuron")
TRN2 = dataclasses.replace(TRN1, instance_type="trn2.48xlarge")
STARTS_NOTHING = "srun: error: Unable to create step for job 7: Requested nodes are busy"


class Trainium:
    """A launcher whose nodes run `neuron_ranks`; the slower node of a pair decides."""

    def __init__(self, count: int, **slow: float) -> None:
        self.speeds = {f"n{one}": slow.get(f"n{one}", 46.0) for one in range(count)}
        self.sent = dict.fromkeys(self.speeds, 0)
        self.paths: set[frozenset[str]] = set()
        self.fails: set[str] = set()
        self.hangs: set[str] = set()
        self.starts_nothing: set[str] = set()
        self.hangs_at_start: set[str] = set()
        self.silent: set[str] = set()
        self.old: set[str] = set()
        self.dies: set[str] = set()
        self.tcp = False
        self.interfaces: int = 2
        self.end: dict[str, Any] = {}
        self.seen: list[tuple[Sequence[str], Mapping[str, str], int]] = []
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
            rows = [{"node": node, "efa": self._counters(node)} for node in nodes]
            return Launched(0, _labelled(rows), "")
        with self.lock:
            self.seen.append((argv, env, tasks_per_node))
        names = set(nodes)
        if self.dies & names:
            return Launched(1, "", "srun: error: Node failure", tuple(self.dies & names))
        if self.old & names:
            return Launched(127, _labelled([{"node": nodes[0], "missing": "it is old"}]), "")
        idle = self.starts_nothing & names
        rows = [{"node": node, "ranks": node not in idle} for node in nodes]
        if self.hangs_at_start & names:
            rows = [{"node": node, "hung": "it hangs"} for node in self.hangs_at_start & names]
            return Launched(1, _labelled(rows), "")
        rows = [row for row in rows if row["node"] not in self.silent]
        if self.hangs & names:
            return Launched(None, _labelled(rows), "")
        sizes = [int(argv[argv.index(word) + 1]) for word in ("-b", "-e")]
        ended: dict[str, Any] = {"node": nodes[0], "exit": 0, "last": [], "report": ""}
        if idle:
            ended.update(exit=1, last=[STARTS_NOTHING])
        elif self.fails & names:
            ended.update(exit=1, last=["", "1 errors found - test failed"])
        else:
            ended["report"] = _report(sizes, self._rate(nodes))
            for node in nodes:
                self.sent[node] += 0 if self.tcp else 4096
        return Launched(0, _labelled([*rows, {**ended, **self.end}]), "")

    def _rate(self, nodes: Sequence[str]) -> float:
        slow = any(path <= set(nodes) for path in self.paths)
        return 20.0 if slow else min(self.speeds[node] for node in nodes)

    def _counters(self, node: str) -> dict[str, dict[str, int]]:
        """Only the first interface carries anything."""
        others = range(1, self.interfaces)
        return {
            "rdmap0s0": {"tx_bytes": self.sent[node]},
            **{f"rdmap{number}s0": {"tx_bytes": 0} for number in others},
        }


def _labelled(rows: Sequence[Mapping[str, Any]]) -> str:
    return "\n".join(f"{number}: {json.dumps(row)}" for number, row in enumerate(rows))


def _report(sizes: Sequence[int], rate: float) -> str:
    size, rows = sizes[0], []
    while size <= sizes[-1]:
        rows.append({"size(B)": size, "busbw(GB/s)": rate})
        size *= 2
    return json.dumps({"results": rows})


def suspects_of(found: Trainium, path: Path, own: Expected = TRN1) -> tuple[Any, Any]:
    conclusion, tests = cluster_run.run_pairs(list(found.speeds), own, found, path, "a")
    outcomes = cluster_run.pair_outcomes(list(found.speeds), conclusion, tests)
    suspects = [(one["kind"], one["names"], one["evidence"]) for one in pair_suspects(conclusion)]
    return suspects, outcomes


def test_the_command_starts_one_task_of_a_node_and_all_its_cores() -> None:
    found = Trainium(2)
    assert measure_pair(("n0", "n1"), TRN1, found).verdict == "good"
    ((argv, env, tasks),) = found.seen
    at = argv.index("clusterwright_acceptance.neuron_ranks")
    assert argv[at + 1 : at + 7] == ["nccom-test", "-N", "2", "allr", "-r", "64"]
    assert argv[-2:] == ["--check", "--non-interactive"]
    assert tasks == 1
    assert (env["FI_PROVIDER"], env["FI_EFA_USE_DEVICE_RDMA"]) == ("efa", "1")
    without = dataclasses.replace(TRN1, efa=False)
    assert measure_pair(("n0", "n1"), without, found).verdict == "good"
    assert "FI_PROVIDER" not in found.seen[1][1]


def test_ranks_are_the_logical_cores_of_the_catalogue() -> None:
    assert dict(LOGICAL_CORES_OF_CHIP) == RANKS_OF_DEVICE
    physical_of_one = {"Trn1": 1, "Trn2": 2}
    for name, cores in CORES_OF_CHIP.items():
        assert cores // physical_of_one[name] == RANKS_OF_DEVICE[name]
    assert [NccomTest().ranks(own) for own in (TRN1, TRN2)] == [32, 64]


def test_the_floor_of_a_pair_is_that_of_the_guides_example() -> None:
    floor = NccomTest().pair_floor(TRN1)
    assert floor.value == pytest.approx(0.85 * 47.09)
    assert "NCCOM-TEST" in floor.source
    mine = dataclasses.replace(TRN1, floors={"pairs": 30.0})
    assert NccomTest().pair_floor(mine).value == 30.0
    assert NccomTest().pair_floor(TRN2).value is None
    assert floors.allreduce(TRN1, 4, 1024).value is None


@pytest.mark.parametrize(
    ("fault", "evidence"),
    [
        ("fails", "nccom-test exited 1: 1 errors found - test failed"),
        ("hangs", "did not end within 240 s"),
        ("hangs_at_start", "did not start on n5: it hangs"),
    ],
)
def test_a_bad_node_is_named_by_meeting_several_partners(
    tmp_path: Path, fault: str, evidence: str
) -> None:
    found = Trainium(8)
    setattr(found, fault, {"n5"})
    suspects, outcomes = suspects_of(found, tmp_path / "a")
    assert suspects == [("node", ["n5"], f"bad with n1, n4: {evidence}")]
    bad = {node for node, one in outcomes.items() if one.verdict != "pass"}
    assert bad == {"n5"}


def test_a_slow_node_and_a_slow_path_are_distinguished(tmp_path: Path) -> None:
    found = Trainium(8, n6=30.0)
    found.paths = {frozenset(("n0", "n1"))}
    suspects, outcomes = suspects_of(found, tmp_path / "a")
    assert [one[:2] for one in suspects] == [("node", ["n6"]), ("path", ["n0", "n1"])]
    assert outcomes["n0"].verdict == outcomes["n1"].verdict == "pass"
    # Where no floor is known the pairs are compared.
    slow = Trainium(8, n6=30.0)
    slow.interfaces = 16
    suspects, _ = suspects_of(slow, tmp_path / "b", TRN2)
    assert [one[:2] for one in suspects] == [("node", ["n6"])]


def test_a_node_that_stops_is_lost(tmp_path: Path) -> None:
    found = Trainium(4)
    found.dies = {"n2"}
    suspects, _ = suspects_of(found, tmp_path / "a")
    assert suspects == [("lost", ["n2"], "stopped during a test")]


def test_ranks_that_do_not_start_are_no_verdict(tmp_path: Path) -> None:
    """The others are tested with other partners."""
    found = Trainium(4)
    found.starts_nothing = {"n1"}
    suspects, outcomes = suspects_of(found, tmp_path / "a")
    assert suspects == []
    verdicts = {node: one.verdict for node, one in outcomes.items()}
    assert verdicts == {**dict.fromkeys(found.speeds, "pass"), "n1": "unknown"}
    said = f"nccom-test started nothing on n1: {STARTS_NOTHING}"
    assert outcomes["n1"].reason == f"not tested: {said}"


def test_ranks_that_do_not_start_before_the_time_is_over_do_not_hang() -> None:
    found = Trainium(2)
    found.starts_nothing = found.hangs = {"n1"}
    one = measure_pair(("n0", "n1"), TRN1, found)
    assert (one.verdict, one.reason) == ("missing", "nccom-test started nothing on n1")


def test_nodes_that_print_nothing_are_named() -> None:
    found = Trainium(2)
    found.silent, found.starts_nothing = {"n1"}, {"n0"}
    said = f"nccom-test started nothing on n0, and n1 printed nothing: {STARTS_NOTHING}"
    one = measure_pair(("n0", "n1"), TRN1, found)
    assert (one.verdict, one.reason) == ("missing", said)
    found.hangs = {"n1"}
    one = measure_pair(("n0", "n1"), TRN1, found)
    assert (one.verdict, one.reason) == ("hung", "did not end within 240 s: n1 printed nothing")


def test_ranks_that_came_and_went_unseen_are_no_failure() -> None:
    found = Trainium(2)
    found.starts_nothing, found.end = {"n1"}, {"exit": 0, "report": _report([2**30], 46.0)}
    found.interfaces, found.sent = 0, {"n0": 0, "n1": 0}
    own = dataclasses.replace(TRN1, efa=False)
    assert measure_pair(("n0", "n1"), own, found).verdict == "good"


def test_an_old_nccom_test_is_unknown(tmp_path: Path) -> None:
    found = Trainium(4)
    found.old = set(found.speeds)
    with pytest.raises(Missing, match="it is old"):
        suspects_of(found, tmp_path / "a")
    outcomes = cluster_allreduce(["n0", "n1"], TRN1, found)
    assert {one.outcome.verdict for one in outcomes.values()} == {"unknown"}


def test_a_program_that_hangs_on_a_node_is_hung_over_all() -> None:
    found = Trainium(2)
    found.hangs_at_start = {"n1"}
    outcomes = cluster_allreduce(["n0", "n1"], TRN1, found)
    said = {(one.outcome.verdict, one.outcome.reason) for one in outcomes.values()}
    assert said == {("hung", "nccom-test did not start on n1: it hangs")}
    found.hangs_at_start, found.hangs = set(), {"n1"}
    outcomes = cluster_allreduce(["n0", "n1"], TRN1, found)
    said = {(one.outcome.verdict, one.outcome.reason) for one in outcomes.values()}
    assert said == {("hung", "nccom-test did not end within 300 s")}


def test_traffic_that_is_not_efas_is_bad() -> None:
    """One interface is enough: no source says that each carries a part."""
    found = Trainium(2)
    assert measure_pair(("n0", "n1"), TRN1, found).verdict == "good"
    found.tcp = True
    one = measure_pair(("n0", "n1"), TRN1, found)
    assert (one.verdict, one.reason) == ("bad", "n0: no EFA device sent anything")


@pytest.mark.parametrize(
    ("end", "reason"),
    [
        ({"report": ""}, "nccom-test wrote no report"),
        ({"report": _report([2**20], 46.0)}, "nccom-test's report has no row of 1073741824 bytes"),
        ({"exit": 3}, "nccom-test exited 3"),
    ],
)
def test_an_end_without_a_whole_report_is_bad(end: dict[str, Any], reason: str) -> None:
    found = Trainium(2)
    found.end = end
    one = measure_pair(("n0", "n1"), TRN1, found)
    assert (one.verdict, one.reason) == ("bad", reason)


def test_long_reports_and_last_lines_come_in_pieces() -> None:
    found = Trainium(2)
    found.end = {"report": json.dumps({**json.loads(_report([2**30], 46.0)), "more": "x" * 4000})}
    assert measure_pair(("n0", "n1"), TRN1, found).verdict == "good"
    found.end = {"exit": 1, "last": ["x" * 3000, "2026-Nov-30 ERROR NRT: device 3"]}
    one = measure_pair(("n0", "n1"), TRN1, found)
    assert one.reason == "nccom-test exited 1: 2026-Nov-30 ERROR NRT: device 3"


def test_a_job_that_ended_before_nccom_test_is_no_result() -> None:
    own = NccomTest()
    command = own.command(TRN1, Trainium(2), 2, (1024,))
    assert (
        own.why_not_run(["n0"], command, Launched(127, "", ""))
        == "nccom-test is not on these nodes"
    )
    found = Trainium(2)
    found.end = {"exit": 0}
    assert cluster_run.program(TRN1, found) is not None
    with pytest.raises(cluster_run.nccl_output.BadOutput, match="before nccom-test"):
        own.read(Launched(0, '0: {"node": "n0", "ranks": true}', ""), (1024,))


def test_all_nodes_by_size() -> None:
    two = cluster_allreduce(["n0", "n1"], TRN1, Trainium(2))
    assert {mib: one.outcome.verdict for mib, one in two.items()} == dict.fromkeys(
        NccomTest.sweep_mib, "pass"
    )
    four = cluster_allreduce([f"n{number}" for number in range(4)], TRN1, Trainium(4))
    assert {one.outcome.verdict for one in four.values()} == {"unknown"}


def test_pods_have_no_slurm_to_start_ranks_with() -> None:
    api = FakeKubernetes([], lambda *_: (0, "", ""))
    pods = KubernetesLauncher(api, NAMESPACE, template("workers"))
    assert cluster_run.program(TRN1, pods) is None
    assert cluster_run.program(dataclasses.replace(TRN1, kind="nvidia"), pods) is not None
    assert cluster_run.program(dataclasses.replace(TRN1, kind="none"), Trainium(2)) is None
