"""Logs of whole runs: the framework is recognised, and killed and resumed runs are read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clusterwright.job_logs import UNKNOWN, read_log
from tests.support.training_logs import BATCH, SEQ_LEN, WORLD, WRITERS, Attempt

START = 1_764_000_000
KILLED = Attempt(START, resumed=0, last=27, saves=(10, 20))
RESUMED = Attempt(START + 900, resumed=20, last=40, saves=(30, 40), finished=True)


@pytest.mark.parametrize("framework", WRITERS)
def test_killed_and_resumed_run_in_one_file(framework: str) -> None:
    log = read_log(WRITERS[framework](KILLED) + WRITERS[framework](RESUMED))
    assert log.framework == framework
    assert [e.step for e in log.steps] == [*range(1, 28), *range(21, 41)]
    assert log.settings.global_batch_size == BATCH
    assert [e.step for e in log.events if e.kind == "load" and e.step] == [20]
    assert log.events[-1].kind == "end"


@pytest.mark.parametrize("framework", ["megatron", "torchtitan", "mllog"])
def test_times_are_those_of_the_lines(framework: str) -> None:
    log = read_log(WRITERS[framework](KILLED))
    expected = [time for kind, _, time in KILLED.moments() if kind == "step"]
    assert [e.time for e in log.steps] == expected
    assert log.first_time == START
    assert log.settings.seq_len == SEQ_LEN


@pytest.mark.parametrize("framework", ["megatron", "nemo"])
def test_step_seconds_as_the_line_states_them(framework: str) -> None:
    log = read_log(WRITERS[framework](Attempt(START, 0, 3, stalls={2: 100.0})))
    assert [e.seconds for e in log.steps] == [10.0, 110.0, 10.0]


@pytest.mark.parametrize("framework", ["megatron", "nemo", "torchtitan"])
def test_world_size(framework: str) -> None:
    assert read_log(WRITERS[framework](KILLED)).settings.world_size == WORLD


@pytest.mark.parametrize("framework", ["megatron", "nemo", "torchtitan", "hf-trainer"])
def test_checkpoints(framework: str) -> None:
    log = read_log(WRITERS[framework](KILLED))
    assert sum(e.kind == "save_begin" for e in log.events) == 2


@pytest.mark.parametrize("framework", ["torchtitan", "megatron", "nemo"])
def test_lines_of_many_ranks_count_once(framework: str) -> None:
    text = WRITERS[framework](KILLED).replace("[rank0]:", "")
    ranks = "".join(f"{r}: {line}\n" for line in text.splitlines() for r in (0, 3, 11))
    log = read_log(ranks)
    assert [e.step for e in log.steps] == list(range(1, 28))
    assert {e.rank for e in log.steps} == {0}
    assert sum(e.kind == "save_begin" for e in log.events) == 2


@pytest.mark.parametrize("framework", WRITERS)
def test_other_versions_of_the_lines_are_unknown_not_zero(framework: str) -> None:
    text = WRITERS[framework](Attempt(START, 0, 3))
    for word in ("iteration", "step: ", "/1000 [", "MLLOG", "global_step", "Training epoch"):
        text = text.replace(word, word.replace("e", "3").replace("L", "1").replace("/", "of"))
    assert not read_log(text).steps


def test_no_log_at_all() -> None:
    log = read_log("")
    assert (log.framework, log.events, log.lines, log.first_time) == (UNKNOWN, (), 0, None)
    assert read_log("hello\nworld\n").framework == UNKNOWN


def test_mlperf_lines_in_the_log_of_another_framework() -> None:
    """Submissions print NeMo's lines and MLPerf's: the former are more, the latter say more."""
    run = Attempt(START, 0, 5)
    log = read_log(WRITERS["mllog"](Attempt(START, 0, 2)) + WRITERS["nemo"](run))
    assert (log.framework, len(log.steps), log.settings.seq_len) == ("nemo", 5, SEQ_LEN)


@given(st.text() | st.text(alphabet="0123456789:|/[]{}'step loss iteration\r\n\x1b.,-"))
def test_any_text_is_read_without_an_error(text: str) -> None:
    read_log(text)


@given(
    st.sampled_from(sorted(WRITERS)),
    st.lists(st.tuples(st.integers(0, 8000), st.integers(0, 60), st.text(max_size=5)), max_size=6),
)
def test_damaged_logs_are_read_without_an_error(
    framework: str, damage: list[tuple[int, int, str]]
) -> None:
    text = WRITERS[framework](Attempt(START, 0, 12, saves=(5,)))
    for at, length, put in damage:
        text = text[:at] + put + text[at + length :]
    log = read_log(text)
    assert all(e.step is None or e.step >= 0 for e in log.events)
    assert all(e.seconds is None or e.seconds >= 0 for e in log.events)


@given(st.sampled_from(sorted(WRITERS)), st.integers(0, 6000))
def test_a_cut_log_has_the_steps_before_the_cut(framework: str, at: int) -> None:
    text = WRITERS[framework](Attempt(START, 0, 12))
    steps = [e.step for e in read_log(text[:at]).steps]
    assert steps == list(range(1, len(steps) + 1))
