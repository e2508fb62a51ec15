"""What scenarios read from Slurm about broken nodes and the jobs on them."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, cast

import pytest

from clusterwright_rehearsal.scenario_api import faults
from clusterwright_rehearsal.scenario_api.context import Broken, Job, Node, NotForThis, Stage
from clusterwright_rehearsal.scenario_api.jobs import Counting

_GPU = "clusterwright: gpu: 7 of 8 GPUs (replace)"
_END = "[root@2026-11-21T04:00:00] Partitions=training"


class _Stage:
    """As much of a stage as is asked here; Slurm's answers and a clock that never waits."""

    def __init__(self, *answers: str) -> None:
        self._answers = list(answers)
        self.compute: list[Any] = []
        self.notes: list[str] = []
        self.looks = 0

    def slurm(self, command: str) -> str:
        return self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]

    def wait_for(self, probe: Any, *, within_s: float) -> float:
        missing = probe()
        if missing is not None:
            raise Broken(missing)
        return 1.0

    note = Stage.note
    expect = Stage.expect
    not_for_this = Stage.not_for_this

    @property
    def _notes(self) -> list[str]:
        return self.notes


def _node(stage: _Stage, accelerator: str = "nvidia") -> Node:
    def must(command: str, **_: object) -> str:
        if command.startswith("cat "):
            return f'{{"accelerator": "{accelerator}", "accelerator_count": 1}}'
        assert command == f"systemctl start {faults.LOOK}"
        stage.looks += 1
        return ""

    return cast(Node, SimpleNamespace(host="ip-10-0-0-9", must=must, slurm_state=lambda: "idle"))


@pytest.mark.parametrize(
    ("shown", "reason"),
    [
        ("NodeName=a State=IDLE Partitions=training", None),
        ("NodeName=a State=DOWN* Reason=Not responding [slurm@2026-11-21T04:00:00]", None),
        (f"NodeName=a State=IDLE+DRAIN Reason={_GPU} {_END}", _GPU),
        (f"NodeName=a State=MIXED+DRAIN Reason={_GPU} {_END}", _GPU),
        (
            f"NodeName=a State=DOWN*+DRAIN Reason={_GPU} : Not responding {_END}",
            f"{_GPU} : Not responding",
        ),
        ("NodeName=a State=IDLE+DRAIN Partitions=training", ""),
    ],
)
def test_reason_is_that_of_a_drained_node(shown: str, reason: str | None) -> None:
    stage = _Stage(shown)
    assert faults.reason(cast(Stage, stage), _node(stage)) == reason


def test_a_node_that_is_drained_for_something_else_breaks_the_promise() -> None:
    stage = _Stage(f"State=IDLE+DRAIN Reason=clusterwright: clock: not synchronised {_END}")
    with pytest.raises(Broken, match="lacks"):
        faults.expect_drained(cast(Stage, stage), _node(stage), "gpu:")
    assert stage.looks == 1


def test_a_node_that_is_not_drained_breaks_the_promise() -> None:
    stage = _Stage("State=IDLE")
    with pytest.raises(Broken, match="idle after a look"):
        faults.expect_drained(cast(Stage, stage), _node(stage), "gpu:")


def test_a_node_comes_back_after_some_looks_and_not_after_any_number() -> None:
    drained = f"State=IDLE+DRAIN Reason={_GPU} {_END}"
    stage = _Stage(drained, drained, "State=IDLE")
    faults.expect_in_use(cast(Stage, stage), _node(stage))
    assert stage.looks == 2
    stage = _Stage(drained)
    with pytest.raises(Broken, match="still drained"):
        faults.expect_in_use(cast(Stage, stage), _node(stage))
    assert stage.looks == 4


def test_a_scenario_about_devices_that_nobody_has_is_left() -> None:
    stage = _Stage("")
    stage.compute = [_node(stage, "nvidia"), _node(stage, "nvidia")]
    faults.need_devices(cast(Stage, stage), "nvidia")
    with pytest.raises(NotForThis, match="neuron devices"):
        faults.need_devices(cast(Stage, stage), "neuron")


@dataclass
class _Job:
    text: str
    state: str = "RUNNING"
    id: str = "7"
    hosts: list[str] = field(default_factory=list)

    def output(self) -> str:
        return self.text

    def show(self) -> dict[str, str]:
        return {"JobState": self.state}


def _counting(text: str, state: str = "RUNNING") -> Counting:
    return Counting(cast(Stage, _Stage("")), cast(Job, _Job(text, state)), "/fsx/count")


def test_a_job_that_went_on_from_its_checkpoint_says_where() -> None:
    job = _counting("start on a at step 0\nslurmstepd: killed\nstart on b at step 6\n")
    assert job.starts == [("a", 0), ("b", 6)]
    assert job.expect_again(5) == "b"


@pytest.mark.parametrize(
    ("text", "state", "says"),
    [
        ("start on a at step 0\nstart on b at step 4\n", "RUNNING", "though 5 was saved"),
        ("start on a at step 0\n", "PENDING", "is PENDING"),
        (
            "start on a at step 0\nstart on b at step 6\nstart on a at step 7\n",
            "RUNNING",
            "is RUNNING",
        ),
    ],
)
def test_a_job_that_lost_steps_or_did_not_start_again_breaks_the_promise(
    text: str, state: str, says: str
) -> None:
    with pytest.raises(Broken, match=says):
        _counting(text, state).expect_again(5)
