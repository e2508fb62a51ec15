"""Lines of the Trainer of transformers."""

from __future__ import annotations

import pytest

from clusterwright.job_logs import read_log


def test_steps_are_those_of_the_progress_bar() -> None:
    text = (
        "\r  0%|          | 0/620 [00:00<?, ?it/s]"
        "\r 91%|███████▋| 567/620 [1:08:21<00:35,  1.49it/s]\n"
        "{'loss': 0.0024, 'grad_norm': 0.11, 'learning_rate': 1.77e-06, 'epoch': 18.1}\n"
        "\r 91%|███████▋| 567/620 [1:08:21<00:35,  1.49it/s]"
        "\r 92%|███████▋| 568/620 [1:08:22<00:35,  1.49it/s]"
    )
    found = [(e.step, e.elapsed, e.loss) for e in read_log(text).steps]
    assert found == [(567, 4101.0, 0.0024), (568, 4102.0, None)]


def test_bars_of_other_loops_are_left_out() -> None:
    text = (
        "\rMap: 100%|██| 10/10 [00:01<00:00, 9it/s]"
        "\r 1%|█| 1/620 [00:02<00:35, 1.4it/s]"
        "\r100%|█| 108/108 [00:46<00:00, 2.3it/s]"
        "\r 1%|█| 2/620 [00:50<00:35, 1.4it/s]\n"
    )
    assert [e.step for e in read_log(text).steps] == [1, 2]


def test_values_as_text_and_no_bar() -> None:
    """transformers 5 writes values as text; without the bar no line has a step."""
    log = read_log(
        "{'loss': '83.94', 'grad_norm': '2726', 'learning_rate': '0', 'epoch': '0.5'}\n"
    )
    assert log.framework == "hf-trainer"
    assert [(e.step, e.loss, e.seconds) for e in log.events] == [(None, 83.94, None)]


@pytest.mark.parametrize(
    "record",
    [
        "{'loss': 'abc', 'epoch': 1.0}",
        "{'loss': tensor(2.1, device='cuda:0'), 'epoch': 1.0}",
        "{'loss': None, 'epoch': 1.0}",
        "{'train_runtime': None, 'epoch': 1.0}",
    ],
)
def test_a_value_that_is_no_number_is_unknown(record: str) -> None:
    assert read_log(f"{record}\n").events == ()


def test_resume_and_checkpoint() -> None:
    text = (
        "[INFO|trainer.py:2134] 2025-05-22 20:08:53,120 >> ***** Running training *****\n"
        "[INFO|trainer.py:2140] 2025-05-22 20:08:53,121 >>   Total optimization steps = 1,620\n"
        "[INFO|trainer.py:2150] 2025-05-22 20:08:53,122 >>   Continuing training from global step "
        "500\n"
        "Saving model checkpoint to ./outputs/checkpoint-1000\n"
    )
    log = read_log(text)
    assert [(e.kind, e.step) for e in log.events] == [
        ("train", None),
        ("load", 500),
        ("save_begin", 1000),
    ]
    assert log.settings.total_steps == 1620
