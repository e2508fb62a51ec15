"""The copy of the parsers that nodes have."""

from __future__ import annotations

import pytest
from clusterwright_metrics import job_logs as ours

from clusterwright import job_logs

MEGATRON = (
    " [2026-11-24 10:00:{:02}] iteration {:8}/ 500 | consumed samples: {} |"
    " elapsed time per iteration (ms): 2000.0 | throughput per GPU (TFLOP/s/GPU): 400.0 |"
    " global batch size: 64 | lm loss: 7.0E+00 |\n"
)
LOG = "".join(MEGATRON.format(2 * n, n, 64 * n) for n in range(1, 6))


def test_nodes_read_the_same_as_the_commands() -> None:
    found, expected = ours.read_log(LOG), job_logs.read_log(LOG)
    assert [vars(event) for event in found.events] == [vars(event) for event in expected.events]
    assert len(found.steps) == 5
    assert found.framework == "megatron"


@pytest.mark.parametrize("parsers", [ours, job_logs])
def test_a_later_part_has_the_settings_of_the_beginning(parsers: object) -> None:
    before = vars(parsers)["Settings"](world_size=16, seq_len=4096)
    settings = vars(parsers)["read_log"](LOG, before).settings
    assert (settings.world_size, settings.seq_len, settings.global_batch_size) == (16, 4096, 64)
