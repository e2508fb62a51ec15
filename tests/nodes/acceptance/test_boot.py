"""The test before slurmd starts: repeated for a minute, reported as the node's comment."""

from __future__ import annotations

from typing import Any

import pytest
from clusterwright_acceptance import boot, program, registry
from clusterwright_common import boot_comment

from tests.nodes.acceptance.fake_node import NODE, Node, gpu_row


class Clock:
    def __init__(self) -> None:
        self.now = 0.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        self.slept.append(seconds)


def after_boot(node: Node, clock: Clock, said: list[str] | None = None) -> dict[str, Any]:
    say = (said if said is not None else []).append
    return boot.run_boot(node.expected, node.probe, clock=clock, sleep=clock.sleep, say=say)


def commented(node: Node) -> list[dict[str, Any]]:
    """The results in the node's comment, the oldest first."""
    return boot_comment.read((node.root / "comment").read_text().strip())


@pytest.fixture
def slurm(node: Node) -> Node:
    """A scontrol that keeps the comment of the node and shows it."""
    comment = node.root / "comment"
    comment.write_text("(null)\n")
    node.command(
        "scontrol",
        f"""case "$*" in
        "--oneliner show node {NODE}") echo "NodeName={NODE} Comment=$(cat {comment}) OS=Linux" ;;
        "update NodeName={NODE} Comment="*) echo "${{3#Comment=}}" >{comment} ;;
        *) exit 1 ;;
        esac""",
    )
    return node


def test_a_good_node_is_accepted_at_once(slurm: Node) -> None:
    clock = Clock()
    result = after_boot(slurm, clock)
    assert (result["verdict"], clock.slept) == ("accepted", [])
    (comment,) = commented(slurm)
    assert comment == {
        "verdict": "accepted",
        "level": "quick",
        "ended_at": result["ended_at"],
        "instance_id": "i-0abc",
        "action": "none",
        "reason": "",
    }


def test_a_device_that_comes_up_late_is_waited_for(slurm: Node) -> None:
    late = slurm.root / "sys/class/infiniband/rdmap31s0"
    late.rename(slurm.root / "late")
    clock = Clock()
    said: list[str] = []

    def sleep(seconds: float) -> None:
        clock.sleep(seconds)
        if clock.now == 15.0:
            (slurm.root / "late").rename(late)

    result = boot.run_boot(slurm.expected, slurm.probe, clock=clock, sleep=sleep, say=said.append)
    assert (result["verdict"], clock.slept) == ("accepted", [5.0] * 3)
    # Checks that passed are not repeated.
    assert said.count("cpus: pass") == 1
    assert [line for line in said if line.startswith("efa-devices:")] == [
        *["efa-devices: fail"] * 3,
        "efa-devices: pass",
    ]


def test_a_bad_node_is_rejected_after_a_minute(slurm: Node) -> None:
    slurm.nvidia_smi("\n".join(gpu_row(index) for index in range(7)))
    clock = Clock()
    result = after_boot(slurm, clock)
    assert (result["verdict"], clock.now) == ("rejected", boot.AGAIN_SECONDS)
    (comment,) = commented(slurm)
    assert (comment["verdict"], comment["reason"]) == ("rejected", result["reason"])
    assert comment["reason"].startswith("gpu-count: ")


def test_another_start_of_the_unit_is_another_test(slurm: Node) -> None:
    after_boot(slurm, Clock())
    slurm.cpus(190, 95)
    assert after_boot(slurm, Clock())["reason"].startswith("cpus: ")
    assert [result["verdict"] for result in commented(slurm)] == ["accepted", "rejected"]


def test_without_slurmctld_the_verdict_is_the_same(node: Node) -> None:
    node.command("scontrol", "echo 'Unable to contact slurm controller' >&2; exit 1")
    clock = Clock()
    said: list[str] = []
    assert after_boot(node, clock, said)["verdict"] == "accepted"
    assert clock.slept == [5.0, 5.0]
    assert said[-1] == "the comment in Slurm: Unable to contact slurm controller"


@pytest.fixture
def pcs(node: Node) -> Node:
    """A scontrol of PCS, where Slurm's name of a node is not the host name."""
    comment = node.root / "comment"
    comment.write_text("(null)\n")
    old = f"NodeName=workers-9 NodeHostName={NODE} SlurmdStartTime=2026-11-01T00:00:00"
    new = f"NodeName=workers-1 NodeHostName={NODE} SlurmdStartTime=2026-11-02T00:00:00"
    off = f"NodeName=workers-7 NodeHostName={NODE} SlurmdStartTime=None"
    node.command(
        "scontrol",
        f"""case "$*" in
        "--oneliner show nodes") printf '%s\\n' '{old}' "{new} Comment=$(cat {comment})" '{off}' ;;
        "update NodeName=workers-1 Comment="*) echo "${{3#Comment=}}" >{comment} ;;
        *) exit 1 ;;
        esac""",
    )
    return node


def test_pcs_reports_when_slurmd_has_started(
    pcs: Node, capsys: pytest.CaptureFixture[str]
) -> None:
    assert program.main(["report"], pcs.probe) == 2
    assert "has no result" in capsys.readouterr().err
    assert program.main(["boot", "--report-later"], pcs.probe) == 0
    assert commented(pcs) == []
    assert program.main(["report"], pcs.probe) == 0
    (result,) = commented(pcs)
    assert (result["verdict"], result["level"]) == ("accepted", "quick")


def test_the_report_waits_for_slurm(node: Node, capsys: pytest.CaptureFixture[str]) -> None:
    node.command("scontrol", "echo 'Unable to contact slurm controller' >&2; exit 1")
    assert program.main(["boot", "--report-later"], node.probe) == 0
    assert "contact" not in capsys.readouterr().err
    assert program.main(["report"], node.probe) == 2
    assert capsys.readouterr().err == "error: Unable to contact slurm controller\n"
    node.command("scontrol", "echo 'NodeName=a NodeHostName=b SlurmdStartTime=None'")
    assert program.main(["report"], node.probe) == 2
    assert "no node of Slurm has the host name" in capsys.readouterr().err


def test_the_limit_is_two_attempts_and_a_minute() -> None:
    seconds = sum(check.timeout_seconds for check in registry.checks("quick", registry.NODE))
    assert 2 * seconds + boot.AGAIN_SECONDS <= boot.LIMIT_SECONDS


def test_the_command_prints_the_verdict(slurm: Node, capsys: pytest.CaptureFixture[str]) -> None:
    assert program.main(["boot"], slurm.probe) == 0
    assert capsys.readouterr().err.endswith("accepted: \n")
    slurm.cpus(190, 95)
    assert program.main(["boot", "--again-seconds=0"], slurm.probe) == 1
    answer = capsys.readouterr()
    assert answer.out == ""
    assert "\nrejected: cpus: " in answer.err
