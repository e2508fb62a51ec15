"""Lines of Megatron-LM and of those who use its training loop."""

from __future__ import annotations

import pytest

from clusterwright.job_logs import read_log

LINE = (
    " [2025-04-13 23:41:12] iteration       10/    1000 | consumed samples:          160 | "
    "elapsed time per iteration (ms): 1147.6 | learning rate: 1.000000E-04 | "
    "global batch size:    16 | lm loss: 7.399415E+00 | loss scale: 8388608.0 |\n"
)


def test_fields_are_read_by_name() -> None:
    (step,) = read_log(LINE).steps
    assert (step.step, step.samples, step.seconds) == (10, 160, 1.1476)
    assert (step.loss, step.learning_rate, step.tflops) == (7.399415, 1e-4, None)


@pytest.mark.parametrize(
    ("line", "step", "seconds", "loss"),
    [
        # Without a time stamp: before 2023.
        (
            " iteration      200/    1000 | consumed samples:          800 | elapsed time per "
            "iteration (ms): 430.0 | lm loss: 7.4E+00 | grad norm: 2.918 |\n",
            200,
            0.43,
            7.4,
        ),
        # Without colons: 2019.
        (
            " iteration        7/     100 | elapsed time per iteration (ms): 99.5 | "
            "learning rate 1.500E-04 | lm loss 1.0E+01 |\n",
            7,
            0.0995,
            10.0,
        ),
        # Another order, an unknown number of steps, a loss that is no number.
        (
            "iteration 7/infinity | lm loss: nan | elapsed time per iteration (ms): 10.0 |\n",
            7,
            0.01,
            None,
        ),
        # Without the time: unknown, not zero.
        ("iteration 7/ 100 | lm loss: 1.0E+00 |\n", 7, None, 1.0),
        ("iteration 7/ 100 | elapsed time per iteration (ms): 0.0 | lm loss: 1.0 |\n", 7, None, 1),
    ],
)
def test_versions(line: str, step: int, seconds: float | None, loss: float | None) -> None:
    (found,) = read_log(line).steps
    assert (found.step, found.seconds, found.loss) == (step, seconds, loss)


def test_pair_of_throughputs_gives_that_of_the_step() -> None:
    text = "iteration 7/ 9 | throughput per GPU (TFLOP/s/GPU): 412.1/398.0 |\n"
    assert read_log(text).steps[0].tflops == 412.1


def test_two_processes_in_one_line() -> None:
    text = LINE.rstrip("\n") + LINE.replace("10/", "20/")
    assert [step.step for step in read_log(text).steps] == [10, 20]


def test_asynchronous_save_ends_later() -> None:
    text = (
        "saving checkpoint at iteration      10 to /c in torch_dist format\n"
        "  successfully saved checkpoint from iteration      10 to /c\n"
        "    save-checkpoint ................................: (812.10, 815.44)\n"
    )
    found = [(e.kind, e.step, e.seconds) for e in read_log(text).events]
    assert found == [
        ("save_begin", 10, None),
        ("save_end", 10, None),
        ("save_end", None, 0.81544),
    ]


def test_cut_lines() -> None:
    assert read_log(LINE[:30]).steps == ()
    (step,) = read_log(LINE[:140]).steps
    assert (step.step, step.samples, step.seconds) == (10, 160, 1.1476)
    assert read_log("  successfully loaded checkpoint from /c at iteration 12").events == ()
