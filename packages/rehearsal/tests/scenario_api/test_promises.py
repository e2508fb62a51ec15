"""Promises are recorded as held, broken or unknown."""

from __future__ import annotations

import os
import time

import pytest

from clusterwright_rehearsal.scenario_api.outcomes import (
    Broken,
    ControllerBusy,
    NotApplicable,
    Undetermined,
)
from clusterwright_rehearsal.scenario_api.promises import PromiseRecorder, processor_share


@pytest.fixture
def recorder() -> PromiseRecorder:
    found = PromiseRecorder()
    found.begin("boot", {"up": "it is up", "idle": "it is idle"})
    return found


def test_promise_holds_with_its_notes(recorder: PromiseRecorder) -> None:
    with recorder.promise("up"):
        recorder.note("after 2 s")
    (promise,) = recorder.results
    assert (promise.id, promise.status, promise.reason) == ("boot.up", "held", "after 2 s")


def test_failed_expectation_breaks_the_promise(recorder: PromiseRecorder) -> None:
    with pytest.raises(Broken), recorder.promise("up"):
        recorder.expect(False, "it is down")
    assert [(p.status, p.reason) for p in recorder.results] == [("broken", "it is down")]


def test_undetermined_promise_is_unknown(recorder: PromiseRecorder) -> None:
    with pytest.raises(Undetermined), recorder.promise("idle"):
        recorder.cannot_determine("no accounting")
    assert [(p.status, p.reason) for p in recorder.results] == [("unknown", "no accounting")]


def test_skip_records_nothing(recorder: PromiseRecorder) -> None:
    with pytest.raises(NotApplicable, match="no GPUs"):
        recorder.skip("no GPUs")
    assert recorder.results == []


def test_wait_for_returns_when_nothing_is_missing(recorder: PromiseRecorder) -> None:
    answers = iter(["not yet", None])
    assert recorder.wait_for(lambda: next(answers), within_s=5) < 5
    with pytest.raises(Broken, match="after 0 s: never"):
        recorder.wait_for(lambda: "never", within_s=0)


def test_wait_for_continues_while_slurmctld_does_not_answer(recorder: PromiseRecorder) -> None:
    answers = iter([True, False])

    def probe() -> None:
        if next(answers):
            raise ControllerBusy("Socket timed out")

    assert recorder.wait_for(probe, within_s=5) < 5


def test_wait_for_ends_when_slurmctld_never_answers(recorder: PromiseRecorder) -> None:
    def probe() -> None:
        raise ControllerBusy("Socket timed out")

    with pytest.raises(Broken, match="after 0 s: Socket timed out"):
        recorder.wait_for(probe, within_s=0)


@pytest.mark.parametrize(
    ("load", "share"), [(0.0, 1.0), (1.0, 1.0), (2.0, 1.0), (4.0, 0.5), (60.0, 1 / 3)]
)
def test_processor_share(monkeypatch: pytest.MonkeyPatch, load: float, share: float) -> None:
    monkeypatch.setattr(os, "getloadavg", lambda: (load, 0.0, 0.0))
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    assert processor_share() == share


@pytest.mark.parametrize(("load", "seconds"), [(1.0, 10), (4.0, 20), (60.0, 30)])
def test_wait_for_waits_longer_on_a_busy_machine(
    monkeypatch: pytest.MonkeyPatch, recorder: PromiseRecorder, load: float, seconds: int
) -> None:
    clock = [0.0]
    monkeypatch.setattr(os, "getloadavg", lambda: (load, 0.0, 0.0))
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(time, "sleep", lambda s: clock.__setitem__(0, clock[0] + s))
    with pytest.raises(Broken, match=f"after {seconds} s: never"):
        recorder.wait_for(lambda: "never", within_s=10)
    assert seconds <= clock[0] <= seconds + 1
