"""Lines of NeMo 2."""

from __future__ import annotations

from clusterwright.job_logs import read_log

LINE = (
    "Training epoch 0, iteration 28/99 | lr: 5.6e-06 | global_batch_size: 32 | global_step: 28 | "
    "reduced_train_loss: 2.778 | train_step_timing in s: 0.189 | tokens_per_sec_per_gpu: 1.07e+04"
    " | consumed_samples: 928 | val_loss: 2.861"
)


def test_steps_count_from_zero_in_the_line() -> None:
    (step,) = read_log(LINE + "\n").steps
    assert (step.step, step.seconds, step.samples, step.loss) == (29, 0.189, 928, 2.778)
    assert step.tokens_per_second_per_device == 10_700


def test_second_epoch_without_global_step_is_unknown() -> None:
    text = "Training epoch 1, iteration 3/99 | reduced_train_loss: 2.7 |\n"
    assert read_log(text).steps == ()
    assert read_log(text.replace("epoch 1", "epoch 0")).steps[0].step == 4


def test_last_value_of_a_cut_line_is_left_out() -> None:
    (step,) = read_log(LINE[: LINE.index("0.189") + 3]).steps
    assert (step.step, step.seconds) == (29, None)


def test_checkpoints() -> None:
    text = (
        "[NeMo I 2026-02-17 17:58:40 nemo_logging:393] Global Checkpoint Save : Rank: 0 : "
        "Iteration: 24 : Start time: 1771351120.135s : Save duration: 25.537s\n"
        "[NeMo I 2026-02-17 17:58:41 nemo_logging:393] Scheduled async checkpoint save for "
        "/ckpt/step=24.ckpt\n"
        "[NeMo I 2026-02-17 17:58:50 nemo_logging:393] Async checkpoint save for step 25 "
        "(/ckpt/step=24.ckpt) finalized successfully.\n"
        "Restored all states from the checkpoint at /ckpt/m-step=24-last.ckpt\n"
    )
    found = [(e.kind, e.step, e.seconds) for e in read_log(text).events]
    assert found == [
        ("save_begin", 25, None),
        ("save_end", 25, 25.537),
        ("save_begin", 25, None),
        ("save_end", 25, None),
        ("load", 25, None),
    ]
    assert read_log(text).events[0].time == 1771351120.135
