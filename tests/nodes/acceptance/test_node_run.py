"""A level on one node: killed at any point, resumed, waived, alone."""

from __future__ import annotations

import fcntl
import json
from pathlib import Path

import pytest
from clusterwright_acceptance import node_run, registry
from clusterwright_acceptance.checks import clock, gpu_count
from clusterwright_acceptance.node_run import JOURNAL, LOCK, RESULT, AlreadyRunning, facts_of
from clusterwright_common import installation

from tests.nodes.acceptance.fake_node import NODE, Node, gpu_row

APPLICABLE = [
    check.id for check in registry.checks("quick", registry.NODE) if check.id != "neuron-devices"
]


def read(node: Node, path: str) -> dict[str, object]:
    found: dict[str, object] = json.loads((node.root / path.lstrip("/")).read_text())
    return found


def test_healthy_node_is_accepted(node: Node) -> None:
    result = node.run()
    assert (result["verdict"], result["reason"], result["action"]) == ("accepted", "", "none")
    assert (result["name"], result["instance_id"], result["level"]) == (NODE, "i-0abc", "quick")
    verdicts = {row["id"]: row["verdict"] for row in result["checks"]}
    skipped = dict.fromkeys(("neuron-devices", "deep-health-check"), "skipped")
    assert verdicts == {**dict.fromkeys(APPLICABLE, "pass"), **skipped}
    assert read(node, RESULT) == result
    assert facts_of(result)["versions.nccl"] == "2.27.5"


def test_the_node_program_is_reported(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    assert node.run()["program"] is None
    folder = node.root / installation.RECORDS.lstrip("/")
    folder.mkdir(parents=True)
    (folder / "a.json").write_text(installation.record("lib", "1" * 64, {"a/b.py": ""}))
    program = node.run()["program"]
    assert (program["sha256"], program["changes_count"]) == ("1" * 64, 1)
    assert program["changes"][0]["path"] == "/opt/clusterwright/lib/a/b.py"

    def denied(_: Path) -> None:
        raise PermissionError

    monkeypatch.setattr(installation, "read", denied)
    assert node.run()["program"] is None


def test_bad_node_is_rejected_with_the_action(node: Node) -> None:
    node.nvidia_smi("\n".join(gpu_row(index) for index in range(7)))
    result = node.run()
    assert (result["verdict"], result["action"]) == ("rejected", "replace")
    assert result["reason"] == "gpu-count: 7 GPUs, p5.48xlarge has 8"


def test_missing_tool_is_unknown(node: Node) -> None:
    node.without("lscpu")
    node.bin.joinpath("bash").write_text("#!/bin/sh\necho unlimited\n")

    def probe(seconds: float) -> object:
        found = node.probe(seconds)
        has = found.has
        found.has = lambda name: name != "lscpu" and has(name)  # type: ignore[method-assign]
        return found

    result = node_run.run_level("quick", node.expected, probe)  # type: ignore[arg-type]
    assert (result["verdict"], result["reason"]) == ("unknown", "cpus: lscpu is not on this node")


def test_hung_check_rejects_and_the_others_run(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    node.hangs("chronyc")
    monkeypatch.setattr(node, "probe", lambda seconds: type(node).probe(node, min(seconds, 1.0)))
    result = node.run()
    verdicts = {row["id"]: row["verdict"] for row in result["checks"]}
    assert verdicts["clock"] == "hung"
    assert verdicts["versions"] == "pass"
    assert (result["verdict"], result["action"]) == ("rejected", "reboot")


def test_bug_in_a_check_is_unknown(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    def look(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(clock, "look", look)
    result = node.run()
    assert result["verdict"] == "unknown"
    assert result["reason"] == "clock: internal error in look: ZeroDivisionError()"


class Killed(BaseException):
    """Stands for SIGKILL: nothing handles it."""


@pytest.mark.parametrize("at", range(0, len(APPLICABLE), 4))
def test_killed_run_goes_on_without_repeating(
    node: Node, monkeypatch: pytest.MonkeyPatch, at: int
) -> None:
    ran: list[str] = []
    original = node_run._run_check

    def recorded(check: registry.Check, *rest: object) -> object:
        if len(ran) == at and "killed" not in ran:
            ran.append("killed")
            raise Killed
        ran.append(check.id)
        return original(check, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(node_run, "_run_check", recorded)
    with pytest.raises(Killed):
        node.run(run="a")
    assert not (node.root / RESULT.lstrip("/")).exists()
    assert node.run(run="a")["verdict"] == "accepted"
    ran.remove("killed")
    assert sorted(ran) == sorted(check.id for check in registry.checks("quick", registry.NODE))


def test_finished_run_is_not_reused(node: Node) -> None:
    node.run()
    node.nvidia_smi("\n".join(gpu_row(index) for index in range(7)))
    assert node.run()["verdict"] == "rejected"


def test_check_that_stops_the_machine_twice_rejects(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = gpu_count.look

    def stops(*_: object) -> None:
        raise Killed

    monkeypatch.setattr(gpu_count, "look", stops)
    for boot in ("boot-1", "boot-2"):
        node.write("/proc/sys/kernel/random/boot_id", boot)
        with pytest.raises(Killed):
            node.run(run="a")
    monkeypatch.setattr(gpu_count, "look", original)
    node.write("/proc/sys/kernel/random/boot_id", "boot-3")
    result = node.run(run="a")
    assert result["reason"] == "gpu-count: the machine stopped 2 times during this check"
    assert result["action"] == "replace"


def test_single_checks_leave_the_verdict_unknown(node: Node) -> None:
    result = node.run(only=["clock"])
    assert result["verdict"] == "unknown"
    assert [row["id"] for row in result["checks"]] == ["clock"]


def test_waiver_opens_the_node_until_its_day(node: Node) -> None:
    node.nvidia_smi("\n".join(gpu_row(index) for index in range(7)))
    node.expect(waivers=({"check": "gpu-count", "reason": "why", "expires": "2099-01-01"},))
    assert node.run()["verdict"] == "accepted"
    node.expect(waivers=({"check": "gpu-count", "reason": "why", "expires": "2020-01-01"},))
    assert node.run()["verdict"] == "rejected"
    node.expect(waivers=({"check": "gpu-count"},))
    assert node.run()["verdict"] == "rejected"


def test_two_runs_at_once_are_refused(node: Node) -> None:
    node.write(LOCK, "")
    with (node.root / LOCK.lstrip("/")).open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with pytest.raises(AlreadyRunning):
            node.run()


def test_plan_has_the_checks_that_apply(node: Node) -> None:
    assert [row["id"] for row in node_run.planned("quick", node.expected)] == APPLICABLE
    node.expect(instance_type="m5.8xlarge", kind="none", efa=False)
    rows = node_run.planned("quick", node.expected)
    assert [row["id"] for row in rows] == ["cpus", "memory", "mounts", "clock"]


def test_journal_is_kept_beside_the_result(node: Node) -> None:
    node.run(run="a")
    assert read(node, JOURNAL)["run"] == "a"
    assert Path(JOURNAL).parent == Path(RESULT).parent


WAIVER = {"check": "gpu-count", "reason": "the eighth is on its way", "expires": "2999-01-31"}


def test_a_waiver_accepts_the_node_until_it_expires(node: Node) -> None:
    node.nvidia_smi("\n".join(gpu_row(index) for index in range(7)))
    node.expect(waivers=(WAIVER,))
    found = node.run()
    assert (found["verdict"], found["waivers"]) == ("accepted", [WAIVER])
    node.expect(waivers=({**WAIVER, "expires": "2020-01-31"},))
    found = node.run()
    assert found["verdict"] == "rejected"
    assert "its waiver expired 2020-01-31" in str(found["reason"])
    node.expect(waivers=({**WAIVER, "nodes": ["other"]},))
    assert node.run()["verdict"] == "rejected"
