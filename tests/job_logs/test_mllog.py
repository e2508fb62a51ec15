"""Lines of MLPerf Training."""

from __future__ import annotations

import json

from clusterwright.job_logs import read_log


def line(key: str, value: object = None, time_ms: int = 1_721_026_606_541, **metadata: int) -> str:
    record = {"namespace": "", "time_ms": time_ms, "key": key, "value": value}
    return f"0: :::MLLOG {json.dumps({**record, 'metadata': metadata})}\n"


def test_steps_follow_from_samples_and_batch() -> None:
    text = line("global_batch_size", 384) + line("block_stop", samples_count=3072)
    (step,) = read_log(text).steps
    assert (step.step, step.samples, step.time) == (8, 3072, 1_721_026_606.541)


def test_samples_that_are_no_multiple_of_the_batch_have_no_step() -> None:
    text = line("global_batch_size", 384) + line("block_stop", samples_count=1000)
    (event,) = read_log(text).events
    assert (event.step, event.samples) == (None, 1000)


def test_step_that_may_count_tokens_is_not_read() -> None:
    text = line("tracked_stats", {"throughput": 5154997.2}, step=1_211_105_280)
    assert read_log(text).events == ()


def test_statistics_of_a_step_belong_to_it() -> None:
    text = line("global_batch_size", 8)
    text += line("tracked_stats", {"train_loss": 3.5, "lr": 1e-5}, samples_count=16)
    text += line("block_stop", samples_count=16)
    (step,) = read_log(text).steps
    assert (step.step, step.loss, step.learning_rate) == (2, 3.5, 1e-5)


def test_begin_and_end() -> None:
    text = line("init_start") + line("run_start") + line("run_stop")
    assert [e.kind for e in read_log(text).events] == ["start", "train", "end"]


def test_cut_record_is_left_out() -> None:
    assert read_log(line("run_start")[:-8]).events == ()
    assert read_log(':::MLLOG {"key": ' + "[" * 5000 + "\n").events == ()
