"""Promises are recorded as held, broken or unknown."""

from __future__ import annotations

import pytest

from clusterwright_rehearsal.scenario_api.outcomes import (
    Broken,
    ControllerBusy,
    NotApplicable,
    Undetermined,
)
from clusterwright_rehearsal.scenario_api.promises import PromiseRecorder


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
