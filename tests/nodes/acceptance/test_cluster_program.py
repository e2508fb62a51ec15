"""A run over the nodes of a cluster: its report, what it keeps, how it goes on after a kill."""

from __future__ import annotations

import dataclasses
import itertools
import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from clusterwright_acceptance import cluster_program, cluster_run, floors, lustre
from clusterwright_acceptance.cluster_program import Wanted, run_cluster
from clusterwright_acceptance.expected import Expected, FileSystem, written
from clusterwright_acceptance.launcher import Launched
from clusterwright_acceptance.outcome import Outcome, Together, failed, passed, unknown
from clusterwright_acceptance.pairs import NOT_STARTED, Conclusion, Suspect, Test
from clusterwright_acceptance.running import Missing
from clusterwright_acceptance.slurm_nodes import SlurmNode
from clusterwright_common import lemon, records, waivers
from clusterwright_state.acceptance import Runs

from tests.nodes.acceptance.srun_output import through_srun

NOW = 1_795_000_000.0
ENDED = "2026-11-18T11:06:40Z"
"""The same time."""
FSX = FileSystem("/fsx", "fs-0abc.fsx.us-east-1.amazonaws.com", "abcdef12")


def result(node: str, *, rejected: str = "", driver: str = "570") -> dict[str, Any]:
    checks = {"versions": passed(nvidia_driver=driver), "gpu-count": passed()}
    if rejected:
        checks["gpu-count"] = failed(rejected, "replace")
    return {
        "name": node,
        "group": "workers",
        "instance_id": f"i-{node}",
        "instance_type": "p5.48xlarge",
        "boot_id": "boot",
        "verdict": "rejected" if rejected else "accepted",
        "reason": f"gpu-count: {rejected}" if rejected else "",
        "action": "replace" if rejected else "none",
        "ended_at": ENDED,
        "checks": [{**one.to_json(check), "seconds": 1.0} for check, one in checks.items()],
    }


class Slurm:
    """A launcher; `answers` are what `node` prints, by node."""

    def __init__(self, **answers: Any) -> None:
        self.answers = answers
        self.tested: list[str] = []
        self.unreadable: set[str] = set()
        self.kind = "nvidia"
        self.waivers: tuple[dict[str, Any], ...] = ()
        self.argv: list[Sequence[str]] = []

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
        (node,) = nodes
        if argv[0] == "cat" and node in self.unreadable:
            return Launched(1, "", "srun: error: Requested nodes are busy")
        if argv[0] == "cat":
            own = Expected(node, "p5.48xlarge", self.kind, lustre=(FSX,), group="workers")
            own = dataclasses.replace(own, waivers=self.waivers)
            return labelled(written(own))
        self.tested.append(node)
        self.argv.append(argv)
        answer = self.answers[node]
        if isinstance(answer, Launched):
            return answer
        return labelled(json.dumps(answer, indent=2), 0 if answer["verdict"] == "accepted" else 1)


def labelled(text: str, code: int = 0) -> Launched:
    """As `srun --label` prints it."""
    return Launched(code, "\n".join(f"0: {line}" for line in text.splitlines()), "")


def run(tmp_path: Path, slurm: Slurm, level: str = "quick", **changes: Any) -> dict[str, Any]:
    wanted = Wanted(changes.pop("run", "20261123T080000Z-1"), level, {"/fsx": (38400, 500)})
    nodes = changes.pop("nodes", [SlurmNode(name, "train") for name in slurm.answers])
    changes.setdefault("clock", lambda: NOW)
    return run_cluster(wanted, nodes, lambda _: slurm, tmp_path, say=lambda _: None, **changes)


def rows(report: dict[str, Any]) -> list[tuple[str, str, str, str]]:
    return [(n["name"], n["verdict"], n["reason"], n["action"]) for n in report["nodes"]]


def test_a_result_and_a_file_with_long_reasons_are_read(tmp_path: Path) -> None:
    """srun writes at most 1,024 bytes of a line."""
    reason = "A replacement is on its way. " * 50
    waiver = {"check": "gpu-count", "reason": reason, "expires": "2027-01-31", "nodes": []}
    slurm = Slurm(**{name: result(name, rejected="7 of 8 GPUs") for name in ("n1", "n2")})
    for answer in slurm.answers.values():
        answer["waivers"] = [waiver]
    slurm.waivers = (waiver,)
    report = run(tmp_path, slurm)
    assert [row[:2] for row in rows(report)] == [("n1", "accepted"), ("n2", "accepted")]
    own = cluster_program._expected_of("n1", slurm, Wanted("r", "quick", {}))
    assert own is not None
    assert own.waivers == (waiver,)


def test_every_node_has_a_verdict_with_its_reason(tmp_path: Path) -> None:
    busy = Launched(1, "", "srun: error: Unable to allocate resources: Requested nodes are busy\n")
    slurm = Slurm(
        n1=result("n1"),
        n2=result("n2", rejected="7 of 8 GPUs"),
        n3=busy,
        n4=Launched(None, "", ""),
        n5=Launched(1, "", "srun: error: Node failure on n5", ("n5",)),
        n6=labelled(json.dumps(result("n1"))),
    )
    report = run(tmp_path, slurm)
    assert rows(report) == [
        ("n1", "accepted", "", "none"),
        ("n2", "rejected", "gpu-count: 7 of 8 GPUs", "replace"),
        (
            "n3",
            "unknown",
            "srun: error: Unable to allocate resources: Requested nodes are busy",
            "none",
        ),
        ("n4", "rejected", "the checks did not end within 360 s", "reboot"),
        ("n5", "rejected", "the node stopped during the checks", "reboot"),
        ("n6", "unknown", "the node's file says that it is n1", "none"),
    ]
    assert (report["status"], report["ended_at"]) == ("ended", "2026-11-18T11:06:40Z")
    assert records.read(tmp_path / "runs/20261123T080000Z-1.json") == report
    assert "facts" not in report["nodes"][0]["checks"][0]
    assert "--level quick --run 20261123T080000Z-1" in " ".join(slurm.argv[0])


def test_the_result_of_a_node_that_stopped_is_of_the_boot_before(tmp_path: Path) -> None:
    """Else the boot that follows would not be tested for half an hour."""
    times = itertools.count(NOW, 60.0)
    lost = Launched(1, "", "srun: error: Node failure on n2", ("n2",))
    report = run(tmp_path, Slurm(n1=result("n1"), n2=lost), clock=lambda: next(times))
    tested = records.read(tmp_path / "nodes/n2.json")["tested_at"]
    assert report["started_at"] <= tested < report["ended_at"]
    known = Runs(str(tmp_path)).states([{"name": "n2", "boot_time": report["ended_at"]}])
    assert known is not None
    assert known["n2"]["state"] == "new"


def test_a_boot_that_begins_during_the_run_is_not_tested(tmp_path: Path) -> None:
    """Such as while the pairs are tested, which take longer than the checks of one node."""
    tested = "2026-11-18T11:08:00Z"
    times = itertools.count(NOW, 600.0)
    slurm = Slurm(n1={**result("n1"), "ended_at": tested}, n2=result("n2"))
    run(tmp_path, slurm, clock=lambda: next(times))
    runs = Runs(str(tmp_path))
    for booted, state in (("2026-11-18T11:07:00Z", "accepted"), ("2026-11-18T11:09:00Z", "new")):
        known = runs.states([{"name": "n1"}], {"n1": booted})
        assert known is not None
        assert known["n1"]["state"] == state


def test_a_node_on_which_no_job_starts_is_unknown(tmp_path: Path) -> None:
    slurm = Slurm()
    report = run(tmp_path, slurm, nodes=[SlurmNode("n1", "train", "the node is powered down")])
    assert rows(report) == [("n1", "unknown", "the node is powered down", "none")]
    assert slurm.tested == []
    assert not (tmp_path / "nodes").exists()


def test_versions_that_differ_reject_the_odd_node(tmp_path: Path) -> None:
    nodes = {f"n{index}": result(f"n{index}") for index in range(3)}
    report = run(tmp_path, Slurm(**nodes, n9=result("n9", driver="560")))
    verdicts = {one["name"]: one["verdict"] for one in report["nodes"]}
    assert verdicts == {"n0": "accepted", "n1": "accepted", "n2": "accepted", "n9": "rejected"}
    assert "nvidia_driver" in report["nodes"][3]["reason"]


def test_nodes_of_several_reservations_are_compared(tmp_path: Path) -> None:
    """The hold reserves a node that was rejected before, and no other."""
    slurm = Slurm(n1=result("n1"), n2=result("n2"), n9=result("n9", driver="560"))
    nodes = [SlurmNode(name, "train") for name in slurm.answers]
    nodes[-1] = dataclasses.replace(nodes[-1], reservation="clusterwright_acceptance")
    report = run(tmp_path, slurm, nodes=nodes)
    verdicts = {one["name"]: one["verdict"] for one in report["nodes"]}
    assert verdicts == {"n1": "accepted", "n2": "accepted", "n9": "rejected"}
    assert "versions.nvidia_driver is 560" in report["nodes"][-1]["reason"]


def test_a_stopped_run_concludes_nothing(tmp_path: Path) -> None:
    slurm = Slurm(n1=result("n1"), n2=result("n2", rejected="7 of 8 GPUs"))
    reason = "stopped: job 12 waits for nodes"
    report = run(tmp_path, slurm, stopped=lambda: reason)
    assert rows(report) == [("n1", "unknown", reason, "none"), ("n2", "unknown", reason, "none")]
    assert (report["status"], report["reason"]) == ("ended", reason)
    assert not (tmp_path / "nodes").exists()
    assert (tmp_path / "runs/20261123T080000Z-1/ended").exists()


def test_a_history_of_faults_replaces_instead_of_a_reboot(tmp_path: Path) -> None:
    def tested() -> list[tuple[str, str, str, str]]:
        bad = result("n1", rejected="hung")
        bad["checks"][1]["action"] = "reboot"
        return rows(run(tmp_path, Slurm(n1=bad)))

    assert tested() == [("n1", "rejected", "gpu-count: hung", "reboot")]
    for path in tmp_path.glob("*"):
        shutil.rmtree(path, ignore_errors=True)
    book: lemon.Book = {}
    for days in (9, 5):
        event = lemon.Happening(NOW - days * 86_400.0, "xid")
        book = lemon.add(book, "n1", "i-n1", event)
    lemon.save(tmp_path / lemon.FILE, book)
    reason = "gpu-count: hung; replace: faults on 3 days of the last 28"
    assert tested() == [("n1", "rejected", reason, "replace")]
    assert records.read(tmp_path / "nodes/n1.json")["action"] == "replace"


def test_a_killed_run_goes_on_without_repeating_nodes(tmp_path: Path) -> None:
    class Killed(Exception):
        pass

    def say(text: str) -> None:
        if text.startswith("n1"):
            raise Killed

    nodes = [SlurmNode("n1", "train")]
    with pytest.raises(Killed):
        run_cluster(
            Wanted("r", "quick", {}),
            nodes,
            lambda _: Slurm(n1=result("n1")),
            tmp_path,
            clock=lambda: NOW,
            say=say,
        )
    assert records.read(tmp_path / "runs/r.json")["status"] == "running"
    assert not (tmp_path / "runs/r" / cluster_program.ENDED).exists()
    again = Slurm(n1=result("n1"), n2=result("n2"))
    report = run(tmp_path, again, run="r")
    assert again.tested == ["n2"]
    assert {one["verdict"] for one in report["nodes"]} == {"accepted"}
    assert (tmp_path / "runs/r" / cluster_program.ENDED).exists()


def test_a_node_keeps_its_history(tmp_path: Path) -> None:
    run(tmp_path, Slurm(n1=result("n1")), run="a")
    run(tmp_path, Slurm(n1=result("n1", rejected="7 of 8 GPUs")), run="b")
    busy = Launched(1, "", "srun: error: busy")
    run(tmp_path, Slurm(n1=busy), run="c")
    found = records.read(tmp_path / "nodes/n1.json")
    assert (found["state"], found["action"], found["level"]) == ("rejected", "replace", "quick")
    assert found["instance_id"] == "i-n1"
    assert [(row["run"], row["verdict"]) for row in found["history"]] == [
        ("a", "accepted"),
        ("b", "rejected"),
    ]


class Several:
    """The tests of several nodes, with prepared results."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.paired: list[str] = []
        self.journals: dict[Path, list[str]] = {}
        self.over: list[str] = []
        self.missing = False
        self.busy: tuple[str, ...] = ()
        self.written_by: list[str] = []
        self.stops: dict[str, Outcome] = {}
        self.slow: dict[str, Outcome] = {}
        self.suspects: tuple[Suspect, ...] = ()
        self.lustre: list[FileSystem] = []
        self.allreduce = {1024: unknown("no floor is known: none", value=300.0, unit="GB/s")}
        monkeypatch.setattr(cluster_run, "run_pairs", self._pairs)
        monkeypatch.setattr(cluster_run, "cluster_allreduce", self._allreduce)
        monkeypatch.setattr(lustre, "write", self._lustre)

    def _pairs(
        self, names: Sequence[str], own: Expected, launcher: Any, path: Path, *_: Any, **__: Any
    ) -> tuple[Conclusion, list[Any]]:
        self.paired = list(names)
        self.journals[path] = self.paired
        if self.missing:
            raise Missing("all_reduce_perf is not on these nodes")
        bad = {name for one in self.suspects if one.kind != "path" for name in one.names}
        good = tuple(name for name in names if name not in {*bad, *self.busy})
        tests = [Test(one, "n0", NOT_STARTED, reason="it is busy") for one in self.busy]
        return Conclusion(self.suspects, good, self.busy, self.busy), tests

    def _allreduce(self, names: Sequence[str], *_: Any) -> dict[int, Together]:
        self.over = list(names)
        return {mib: Together(one, self.stops) for mib, one in self.allreduce.items()}

    def _lustre(self, names: Sequence[str], own: Expected, _: Any) -> dict[str, Together]:
        self.lustre, self.written_by = list(own.lustre), list(names)
        outcome = Outcome("pass", value=9000.0, floor=8000.0, unit="MB/s")
        return {"/fsx": Together(outcome, self.slow)}


@pytest.fixture
def together(monkeypatch: pytest.MonkeyPatch) -> Several:
    return Several(monkeypatch)


def four() -> Slurm:
    return Slurm(**{f"n{index}": result(f"n{index}") for index in range(4)})


def test_pairs_name_the_bad_node_and_the_rest_is_tested_together(
    tmp_path: Path, together: Several
) -> None:
    together.suspects = (Suspect("lost", ("n2",), "stopped in a pair with n3"),)
    slurm = four()
    slurm.answers["n9"] = result("n9", rejected="7 of 8 GPUs")
    report = run(tmp_path, slurm, "standard")
    assert together.paired == ["n0", "n1", "n2", "n3"]
    assert together.over == ["n0", "n1", "n3"]
    assert report["suspects"] == [
        {"kind": "node", "names": ["n2"], "evidence": "stopped in a pair with n3"}
    ]
    verdicts = {one["name"]: one["verdict"] for one in report["nodes"]}
    assert verdicts == {
        "n0": "accepted",
        "n1": "accepted",
        "n2": "rejected",
        "n3": "accepted",
        "n9": "rejected",
    }
    assert together.lustre == [
        dataclasses.replace(FSX, capacity_gib=38400, throughput_mbps_per_tib=500)
    ]
    lustre = report["cluster_checks"][-1]
    assert (lustre["id"], lustre["mount_path"], lustre["nodes"]) == ("lustre-write", "/fsx", 3)


def test_a_figure_without_a_floor_becomes_the_baseline_of_later_runs(
    tmp_path: Path, together: Several
) -> None:
    first = run(tmp_path, four(), "standard", run="a")["cluster_checks"][0]
    assert (first["id"], first["verdict"], first["size_mib"]) == (
        "cluster-allreduce",
        "unknown",
        1024,
    )
    together.allreduce = {1024: unknown("no floor is known: none", value=200.0, unit="GB/s")}
    report = run(tmp_path, four(), "standard", run="b")
    second = report["cluster_checks"][0]
    assert (second["verdict"], second["floor"]) == ("fail", 285.0)
    assert second["reason"] == "200 GB/s, the baseline of 2026-11-18 is 300"
    (kept,) = report["baseline"]
    assert (kept["median"], kept["node_count"], kept["size_mib"]) == (300.0, 4, 1024.0)


def test_the_bandwidths_of_the_last_run_that_did_not_fail_are_kept(
    tmp_path: Path, together: Several
) -> None:
    def kept() -> dict[int, tuple[float, str]]:
        rows = records.read(tmp_path / "accepted.json")["accepted"]
        assert {(row["instance_type"], row["nodes"], row["ranks"]) for row in rows} == {
            ("p5.48xlarge", 4, 32)
        }
        return {row["size_mib"]: (row["gbs"], row["run"]) for row in rows}

    together.allreduce[2048] = Outcome("pass", value=340.0, floor=330.0, unit="GB/s")
    run(tmp_path, four(), "standard", run="a")
    assert kept() == {1024: (300.0, "a"), 2048: (340.0, "a")}
    together.allreduce = {
        1024: unknown("no floor is known: none", value=200.0, unit="GB/s"),
        2048: Outcome("pass", value=335.0, floor=330.0, unit="GB/s"),
    }
    run(tmp_path, four(), "standard", run="b")
    # The first is below the cluster's baseline.
    assert kept() == {1024: (300.0, "a"), 2048: (335.0, "b")}
    together.allreduce = {2048: Outcome("pass", value=350.0, floor=330.0, unit="GB/s")}
    run(tmp_path, four(), "standard", run="c", stopped=lambda: "stopped: job 12 waits for nodes")
    assert kept()[2048] == (335.0, "b")


def test_a_baseline_of_the_cluster_has_the_versions_that_all_nodes_share(
    tmp_path: Path, together: Several
) -> None:
    def with_drivers(*drivers: str) -> Slurm:
        names = [f"n{index}" for index in range(len(drivers))]
        nodes = zip(names, drivers, strict=True)
        return Slurm(**{name: result(name, driver=driver) for name, driver in nodes})

    (kept,) = run(tmp_path, with_drivers("570", "570"), "standard", run="a")["baseline"]
    assert kept["versions"] == {"nvidia_driver": "570"}
    together.allreduce = {1024: unknown("no floor is known: none", value=200.0, unit="GB/s")}
    row = run(tmp_path, with_drivers("580", "580"), "standard", run="b")["cluster_checks"][0]
    assert row["reason"].endswith("is 300; since then nvidia_driver 570 became 580")
    row = run(tmp_path, with_drivers("580", "590"), "standard", run="c")["cluster_checks"][0]
    assert row["reason"].endswith("is 300")


def test_each_reservation_has_pairs_of_its_own(tmp_path: Path, together: Several) -> None:
    """A job is in one reservation, and a journal has the pairs of one: they would be mixed."""
    held = {"n2": "clusterwright_acceptance", "n3": "clusterwright_acceptance"}
    nodes = [SlurmNode(f"n{index}", "train") for index in range(4)]
    nodes = [dataclasses.replace(one, reservation=held.get(one.name)) for one in nodes]
    together.suspects = (Suspect("node", ("n3",), "slow with n2"),)
    report = run(tmp_path, four(), "standard", nodes=nodes)
    assert list(together.journals.values()) == [["n0", "n1"], ["n2", "n3"]]
    assert [row[1] for row in rows(report)] == ["accepted"] * 3 + ["rejected"]


def test_a_missing_program_leaves_the_nodes_unknown(tmp_path: Path, together: Several) -> None:
    together.missing = True
    report = run(tmp_path, four(), "standard")
    assert {one["reason"] for one in report["nodes"]} == {
        "pairs: all_reduce_perf is not on these nodes"
    }
    assert {one["verdict"] for one in report["nodes"]} == {"unknown"}
    assert together.over == []


def test_a_node_that_is_busy_keeps_its_state_and_the_others_are_concluded(
    tmp_path: Path, together: Several
) -> None:
    run(tmp_path, four(), "quick", run="a")
    together.busy = ("n2",)
    together.suspects = (Suspect("node", ("n3",), "slow with n1"),)
    report = run(tmp_path, four(), "standard", run="b")
    assert [row[1:3] for row in rows(report)] == [
        ("accepted", ""),
        ("accepted", ""),
        ("unknown", "pairs: not tested: it is busy"),
        ("rejected", "pairs: slow with n1"),
    ]
    assert together.over == ["n0", "n1"]
    assert together.written_by == ["n0", "n1", "n3"]
    found = {name: records.read(tmp_path / f"nodes/{name}.json") for name in ("n2", "n3")}
    assert (found["n2"]["state"], found["n2"]["history"][-1]["run"]) == ("accepted", "a")
    assert (found["n3"]["state"], found["n3"]["history"][-1]["run"]) == ("rejected", "b")


def test_what_a_busy_node_lacks_beside_the_pairs_is_kept(
    tmp_path: Path, together: Several
) -> None:
    run(tmp_path, four(), "quick", run="a")
    together.busy = ("n2", "n3")
    slurm = four()
    clock = {**unknown("chronyc is not on this node").to_json("clock"), "seconds": 1.0}
    slurm.answers["n2"]["checks"].append(clock)
    slurm.answers["n3"] = result("n3", driver="560")
    run(tmp_path, slurm, "standard", run="b")
    states = {
        name: records.read(tmp_path / f"nodes/{name}.json")["state"] for name in slurm.answers
    }
    assert states == {"n0": "accepted", "n1": "accepted", "n2": "unknown", "n3": "rejected"}


def test_where_no_pair_starts_every_node_keeps_its_state(
    tmp_path: Path, together: Several
) -> None:
    run(tmp_path, four(), "quick", run="a")
    together.missing = True
    run(tmp_path, four(), "standard", run="b")
    for name in ("n0", "n3"):
        found = records.read(tmp_path / f"nodes/{name}.json")
        assert (found["state"], found["history"][-1]["run"]) == ("accepted", "a")


def test_a_new_node_whose_pairs_do_not_start_has_a_record_with_the_reason(
    tmp_path: Path, together: Several
) -> None:
    together.missing = True
    run(tmp_path, four(), "standard", run="a")
    found = records.read(tmp_path / "nodes/n0.json")
    reason = "pairs: all_reduce_perf is not on these nodes"
    assert (found["state"], found["reason"]) == ("unknown", reason)
    assert found["tested_at"] == ENDED


@pytest.mark.parametrize(("was", "state"), [("unknown", "unknown"), ("rejected", "rejected")])
def test_the_time_of_each_test_that_does_not_start_is_recorded(
    tmp_path: Path, together: Several, was: str, state: str
) -> None:
    """Without it the hold would test the node again after a minute."""
    path = tmp_path / "nodes/n0.json"
    before = {"state": was, "reason": "gemm: slow", "action": "report", "tested_at": "2026"}
    records.write(path, {**before, "instance_id": "i-n0", "boot_id": "boot"})
    together.missing = True
    run(tmp_path, four(), "standard", run="a")
    found = records.read(path)
    assert (found["state"], found["tested_at"]) == (state, ENDED)
    assert (found["reason"] == "gemm: slow") == (was == "rejected")


@pytest.mark.parametrize("other", ["instance_id", "boot_id"])
def test_a_record_of_another_boot_does_not_keep_its_state(
    tmp_path: Path, together: Several, other: str
) -> None:
    path = tmp_path / "nodes/n0.json"
    before = {"state": "accepted", "instance_id": "i-n0", "boot_id": "boot"}
    records.write(path, {**before, other: "another"})
    together.missing = True
    run(tmp_path, four(), "standard", run="a")
    assert records.read(path)["state"] == "unknown"


def test_another_node_says_what_the_nodes_are(tmp_path: Path, together: Several) -> None:
    slurm = four()
    slurm.unreadable = {"n0", "n1"}
    report = run(tmp_path, slurm, "standard")
    assert together.paired == ["n0", "n1", "n2", "n3"]
    assert {row[1] for row in rows(report)} == {"accepted"}
    slurm.unreadable = set(slurm.answers)
    report = run(tmp_path, slurm, "standard", run="b")
    assert rows(report)[0][1:3] == (
        "unknown",
        "pairs: /etc/clusterwright/acceptance.json of n0, n1, n2, n3 cannot be read",
    )
    assert records.read(tmp_path / "nodes/n0.json")["state"] == "accepted"


def test_nodes_that_only_a_test_of_all_shows_to_be_bad_are_rejected(
    tmp_path: Path, together: Several
) -> None:
    together.stops = {"n3": failed("the node stopped", "check")}
    together.slow = {"n1": failed("/fsx: 9 MB/s, the median of 3 nodes is 900", "check")}
    report = run(tmp_path, four(), "standard")
    assert [row[1:] for row in rows(report)] == [
        ("accepted", "", "none"),
        ("rejected", "lustre-write: /fsx: 9 MB/s, the median of 3 nodes is 900", "check"),
        ("accepted", "", "none"),
        ("rejected", "cluster-allreduce: the node stopped", "check"),
    ]
    assert together.written_by == ["n0", "n1", "n2"]
    assert [(one["kind"], one["names"], one["evidence"]) for one in report["suspects"]] == [
        ("node", ["n3"], "cluster-allreduce: the node stopped"),
        ("node", ["n1"], "lustre-write: /fsx: 9 MB/s, the median of 3 nodes is 900"),
    ]


def test_a_whole_result_of_a_node_that_did_not_end_is_none(tmp_path: Path) -> None:
    late = Launched(None, labelled(json.dumps(result("n1"))).stdout, "")
    assert rows(run(tmp_path, Slurm(n1=late)))[0][1] == "rejected"


@pytest.mark.parametrize("pods", [False, True])
def test_nodes_of_trainium_are_paired_where_slurm_is(
    tmp_path: Path, together: Several, pods: bool
) -> None:
    slurm = four()
    slurm.kind = "neuron"
    if pods:
        vars(slurm)["allreduce_argv"] = lambda *_: []
    report = run(tmp_path, slurm, "standard")
    every = [] if pods else ["n0", "n1", "n2", "n3"]
    assert (together.paired, together.over) == (every, every)
    ids = [row["id"] for row in report["cluster_checks"]]
    assert ids == (["lustre-write"] if pods else ["cluster-allreduce", "lustre-write"])
    assert {row[1] for row in rows(report)} == {"accepted"}


def test_one_node_is_not_paired(tmp_path: Path, together: Several) -> None:
    report = run(tmp_path, Slurm(n1=result("n1")), "standard")
    assert (together.paired, report["cluster_checks"]) == ([], [])
    assert report["nodes"][0]["verdict"] == "accepted"


def test_the_lustre_floor_needs_the_request(tmp_path: Path) -> None:
    known = dataclasses.replace(FSX, capacity_gib=38400, throughput_mbps_per_tib=500)
    assert floors.lustre_write(known, 4, 3200.0).value is not None
    assert floors.lustre_write(FSX, 4, 3200.0).value is None


@pytest.mark.parametrize(
    ("changes", "verdict"),
    [
        ({}, "accepted"),
        ({"nodes": ["n1"]}, "accepted"),
        ({"nodes": ["n2"]}, "rejected"),
        ({"groups": ["workers"]}, "accepted"),
        ({"groups": ["others"]}, "rejected"),
        ({"check": "nvlink"}, "rejected"),
        # The last day counts, the day after it does not.
        ({"expires": ENDED[:10]}, "accepted"),
        ({"expires": "2026-11-17"}, "rejected"),
    ],
)
def test_the_waivers_of_the_last_request_apply(
    tmp_path: Path, changes: dict[str, Any], verdict: str
) -> None:
    row = {
        "check": "gpu-count",
        "reason": "the vendor replaces it",
        "expires": "2027-01-31",
        "nodes": [],
        "groups": [],
        **changes,
    }
    waivers.keep(tmp_path, [row], "r", "ada", ENDED)
    slurm = Slurm(n1=result("n1", rejected="7 of 8 GPUs"), n3=result("n3"))
    report = run(tmp_path, slurm)
    assert [one["verdict"] for one in report["nodes"]] == [verdict, "accepted"]
    assert "waivers" not in report["nodes"][0]
    assert records.read(tmp_path / "nodes/n1.json")["state"] == verdict
    if row["expires"] < ENDED[:10]:
        assert report["nodes"][0]["reason"].endswith("(its waiver expired 2026-11-17)")
    # The next request withdraws it.
    waivers.keep(tmp_path, [], "r2", "ada", ENDED)
    report = run(tmp_path, slurm, run="another-run")
    assert report["nodes"][0]["verdict"] == "rejected"
