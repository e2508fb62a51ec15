"""Settings that follow from others."""

from __future__ import annotations

from clusterwright.job_logs import Settings, read_log


def test_tokens_of_a_step() -> None:
    assert Settings(global_batch_size=64, seq_len=4096).tokens_per_step == 262_144
    assert Settings(global_batch_size=64).tokens_per_step is None


def test_steps_are_the_events_with_a_number() -> None:
    log = read_log("{'loss': 1.0, 'epoch': 1.0}\n\r 1%| | 2/9 [00:01<00:05, 1it/s]")
    assert (len(log.events), [e.step for e in log.steps]) == (2, [2])
