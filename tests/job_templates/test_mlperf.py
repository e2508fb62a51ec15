"""What MLPerf's jobs share: steps of a run, and the script around it."""

from __future__ import annotations

import pytest

from clusterwright.job_templates.mlperf import Run, settings
from clusterwright.job_templates.mlperf_rules import GPT3, LLAMA31_8B, LLAMA31_405B


def test_steps_between_evaluations() -> None:
    assert Run(LLAMA31_405B, 1152, 8e-5, 3, None).evaluation_steps == 16
    # Rounded up where the batch does not divide the interval.
    assert Run(LLAMA31_405B, 4608, 32e-5, 3, None).evaluation_steps == 4
    assert Run(LLAMA31_8B, 96, 1e-3, 10, 1).evaluation_steps == 128
    assert Run(GPT3, 8192, 3e-5, 3, 1).evaluation_steps == 3


@pytest.mark.parametrize(
    ("batch", "slowest"), [(1152, 313344), (2304, 368640), (4608, 497664), (9216, 2 * 497664)]
)
def test_a_run_ends_after_twice_the_sequences_of_the_reference(batch: int, slowest: int) -> None:
    run = Run(LLAMA31_405B, batch, 8e-5, 3, None)
    assert run.most_steps == -(-2 * slowest // batch)


def test_the_outlier_of_gpt3_is_no_limit() -> None:
    assert Run(GPT3, 3072, 2e-5, 3, 8).most_steps == -(-2 * 1258291200 // 2048 // 3072)


def test_the_folder_of_the_data_has_to_be_stated() -> None:
    names = {one.name: one.required for one in settings("Folder of the tokens.")}
    assert names["data"]
    assert not names["batch"]
