"""Lines of torchtitan."""

from __future__ import annotations

from clusterwright.job_logs import read_log

LINE = (
    "[rank0]:[titan] 2025-10-30 14:32:58,990 - root - INFO - \x1b[31mstep:  2  \x1b[32mloss:  "
    "6.1098  \x1b[38;5;208mgrad_norm:  4.6416  \x1b[33mmemory:  2.49GiB(3.14%)  \x1b[34mtps: "
    "177,138  \x1b[36mtflops: 96.17  \x1b[35mmfu: 9.72%\x1b[39m\n"
)


def test_colours_and_thousands_commas() -> None:
    (step,) = read_log(LINE).steps
    assert (step.step, step.loss, step.rank) == (2, 6.1098, 0)
    assert (step.tokens_per_second_per_device, step.tflops) == (177_138, 96.17)


def test_older_line_without_tflops_and_mfu_of_quantised_training() -> None:
    text = "2025-02-13 11:33:35,026 - root - INFO - step:  1  loss: 12.24  tps: 1,478  mfu: N/A\n"
    (step,) = read_log(text).steps
    assert (step.tokens_per_second_per_device, step.tflops) == (1478, None)


def test_validation_is_no_step() -> None:
    assert read_log(LINE.replace("step:", "validate step:")).steps == ()


def test_last_value_of_a_cut_line_is_left_out() -> None:
    (step,) = read_log(LINE[: LINE.index("177,138") + 3]).steps
    assert (step.step, step.loss, step.tokens_per_second_per_device) == (2, 6.1098, None)


def test_checkpoints_of_several_versions() -> None:
    text = "".join(
        f"[titan] 2025-06-20 19:13:39,663 - root - INFO - {words}\n"
        for words in (
            "Loading the checkpoint from /fsx/ckpt/step-100.",
            "Finished loading the checkpoint in 14.20 seconds.",
            "Training starts at step 101.",
            "Saving the checkpoint.",
            "Finished saving the checkpoint in 0.60 seconds.",
            "Saving a full checkpoint at step 120",
            "Finished saving the checkpoint (or staging if async is enabled)in 1.25 seconds.",
            "Saving a model only checkpoint in torch.bfloat16 at last step, step 130.",
            "Last step checkpoint completed in 0.12s",
            "Training completed",
        )
    )
    found = [(e.kind, e.step, e.seconds) for e in read_log(text).events]
    assert found == [
        ("load", 100, None),
        ("load", None, 14.2),
        ("train", 100, None),
        ("save_begin", None, None),
        ("save_end", None, 0.6),
        ("save_begin", 120, None),
        ("save_end", None, 1.25),
        ("save_begin", 130, None),
        ("save_end", None, 0.12),
        ("end", None, None),
    ]
