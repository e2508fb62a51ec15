"""Logs of a training run in the form of each framework, from a history that is known.

The forms are those of the frameworks' own code, and of logs in public repositories; each writer
names its source. A history says what happened; the right answer of a report follows from it.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Attempt:
    """One start of the program.

    It starts at `starts_at`, trains from step `resumed` + 1 to `last` with `step_s` per step, and
    saves after each step of `saves`, which blocks for `save_s`. `stalls` adds seconds to a step.
    """

    starts_at: int
    resumed: int
    last: int
    start_s: float = 30.0
    step_s: float = 10.0
    save_s: float = 5.0
    saves: tuple[int, ...] = ()
    stalls: dict[int, float] = field(default_factory=dict)
    finished: bool = False

    def moments(self) -> Iterator[tuple[str, int, float]]:
        """(`train`, `step`, `save_begin` or `save_end`; step; time)."""
        now = self.starts_at + self.start_s
        yield "train", self.resumed, now
        for step in range(self.resumed + 1, self.last + 1):
            now += self.step_s + self.stalls.get(step, 0.0)
            yield "step", step, now
            if step in self.saves:
                yield "save_begin", step, now
                now += self.save_s
                yield "save_end", step, now

    @property
    def last_time(self) -> float:
        """When the last thing happened."""
        return max(time for _, _, time in self.moments())


BATCH, SEQ_LEN, WORLD, TOTAL = 64, 4096, 16, 1000


def _clock(time: float, form: str = "%Y-%m-%d %H:%M:%S") -> str:
    return dt.datetime.fromtimestamp(time, dt.UTC).strftime(form)


def _milli(time: float) -> str:
    return f"{_clock(time)},{round(time % 1 * 1000):03d}"


def megatron(attempt: Attempt) -> str:
    """NVIDIA/Megatron-LM training.py (`training_log`, `print_datetime`), checkpointing.py."""
    lines = [
        f"[{_clock(attempt.starts_at)}] > initializing torch distributed ...",
        f"using world size: {WORLD}, data-parallel size: 2, context-parallel size: 1 ",
        "------------------------ arguments ------------------------",
        f"  global_batch_size ............................... {BATCH}",
        f"  seq_length ...................................... {SEQ_LEN}",
        f"  train_iters ..................................... {TOTAL}",
    ]
    if attempt.resumed:
        lines.append(
            "  successfully loaded checkpoint from /fsx/ckpt [ t 1/8, p 1/1 ] at iteration "
            f"{attempt.resumed}"
        )
    else:
        lines.append(
            "WARNING: could not find the metadata file /fsx/ckpt/latest_checkpointed_iteration.txt"
        )
        lines.append("    will not load any checkpoints and will start from random")
    for kind, step, time in attempt.moments():
        if kind == "train":
            lines.append(f"[before the start of training step] datetime: {_clock(time)} ")
        elif kind == "save_begin":
            lines.append(
                f"saving checkpoint at iteration {step:7d} to /fsx/ckpt in torch_dist format"
            )
        elif kind == "save_end":
            lines.append(f"  successfully saved checkpoint from iteration {step:7d} to /fsx/ckpt")
        else:
            took = (attempt.step_s + attempt.stalls.get(step, 0.0)) * 1000
            lines.append(
                f" [{_clock(time)}] iteration {step:8d}/{TOTAL:8d} | consumed samples: "
                f"{step * BATCH:12d} | elapsed time per iteration (ms): {took:.1f} | throughput "
                f"per GPU (TFLOP/s/GPU): 412.1 | learning rate: 3.000000E-04 | global batch size: "
                f"{BATCH:5d} | lm loss: 2.{step:06d}E+00 | loss scale: 1.0 | grad norm: 0.412 | "
                "number of skipped iterations:   0 | number of nan iterations:   0 |"
            )
    if attempt.finished:
        lines.append(f"[after training is done] datetime: {_clock(attempt.last_time)} ")
    return "\n".join(lines) + "\n"


def nemo(attempt: Attempt) -> str:
    """NVIDIA/NeMo progress_printer.py and model_checkpoint.py; steps count from 0."""
    lines = [
        f"[NeMo I {_clock(attempt.starts_at)} nemo_logging:393] Rank 0 has model parallel group",
        f"Initializing distributed: GLOBAL_RANK: 0, MEMBER: 1/{WORLD}",
    ]
    if attempt.resumed:
        name = f"m--val_loss=0.00-step={attempt.resumed - 1}-consumed_samples=1.0-last.ckpt"
        lines.append(f"Restored all states from the checkpoint at /fsx/ckpt/{name}")
    for kind, step, time in attempt.moments():
        if kind == "train":
            lines.append(f"[NeMo I {_clock(time)} nemo_logging:393] Setting up optimizers")
        elif kind == "save_end":
            begin = time - attempt.save_s
            lines.append(
                f"[NeMo I {_clock(time)} nemo_logging:393] Global Checkpoint Save : Rank: 0 : "
                f"Iteration: {step - 1} : Start time: {begin:.3f}s : Save duration: "
                f"{attempt.save_s:.3f}s"
            )
        elif kind == "step":
            took = attempt.step_s + attempt.stalls.get(step, 0.0)
            lines.append(
                f"Training epoch 0, iteration {step - 1}/{TOTAL - 1} | lr: 5.6e-06 | "
                f"global_batch_size: {BATCH} | global_step: {step - 1} | reduced_train_loss: 2.778"
                f" | train_step_timing in s: {took:.4g} | consumed_samples: {step * BATCH}"
            )
    if attempt.finished:
        lines.append(f"`Trainer.fit` stopped: `max_steps={attempt.last}` reached.")
    return "\n".join(lines) + "\n"


def torchtitan(attempt: Attempt) -> str:
    """pytorch/torchtitan components/metrics.py, components/checkpoint.py, train.py."""

    def line(time: float, text: str) -> str:
        return f"[rank0]:[titan] {_milli(time)} - root - INFO - {text}"

    first = attempt.starts_at
    lines = [
        line(first, "Starting job: Llama 3 8B training"),
        line(
            first,
            "Building device mesh with parallelism: pp=1, dp_replicate=1, dp_shard=16, cp=1, tp=1",
        ),
        line(
            first,
            f"Trainer is initialized with local batch size 4, global batch size {BATCH}, gradient "
            f"accumulation steps 1, sequence length {SEQ_LEN}, total steps {TOTAL} (warmup 200)",
        ),
    ]
    if attempt.resumed:
        text = f"Loading the checkpoint from /fsx/ckpt/step-{attempt.resumed}."
        lines.append(line(first + 1, text))
        lines.append(line(first + 2, "Finished loading the checkpoint in 1.00 seconds."))
    for kind, step, time in attempt.moments():
        if kind == "train":
            lines.append(line(time, f"Training starts at step {step + 1}"))
        elif kind == "save_begin":
            lines.append(line(time, "Saving the checkpoint (or staging if async is enabled)."))
        elif kind == "save_end":
            text = f"Finished saving the checkpoint in {attempt.save_s:.2f} seconds."
            lines.append(line(time, text))
        else:
            text = (
                f"\x1b[31mstep: {step:2d}  \x1b[32mloss: {3 - step / 1e4:7.4f}  "
                "\x1b[38;5;208mgrad_norm:  0.5402  \x1b[33mmemory: 63.36GiB(45.35%)  "
                "\x1b[34mtps: 1,638  \x1b[36mtflops: 95.10  \x1b[35mmfu: 9.62%\x1b[39m"
            )
            lines.append(line(time, text))
    if attempt.finished:
        lines.append(line(attempt.last_time, "Training completed"))
    return "\n".join(lines) + "\n"


def hf_trainer(attempt: Attempt) -> str:
    """huggingface/transformers trainer.py, trainer_callback.py; tqdm's bar, redrawn with \\r."""

    def info(time: float, text: str) -> str:
        return f"[INFO|trainer.py:2134] {_milli(time)} >> {text}\n"

    out = [f"{_clock(attempt.starts_at)} loading weights\n"]
    train = attempt.starts_at + attempt.start_s
    for kind, step, time in attempt.moments():
        if kind == "train":
            out.append(info(time, "***** Running training *****"))
            out.append(
                info(
                    time,
                    "  Total train batch size (w. parallel, distributed & accumulation) = "
                    f"{BATCH}",
                )
            )
            out.append(info(time, f"  Total optimization steps = {TOTAL:,}"))
            if step:
                out.append(info(time, f"  Continuing training from global step {step}"))
            out.append(f"\r  0%|          | 0/{TOTAL} [00:00<?, ?it/s]")
        elif kind == "step":
            passed = int(time - train)
            clock = f"{passed // 60:02d}:{passed % 60:02d}"
            if passed >= 3600:
                clock = f"{passed // 3600}:{passed // 60 % 60:02d}:{passed % 60:02d}"
            out.append(f"\r {step // 10}%|█▏     | {step}/{TOTAL} [{clock}<2:04:05,  1.49it/s]")
            if step % 10 == 0:
                out.append(
                    "\r                      \n{'loss': 0.0024, 'grad_norm': 0.1177, "
                    f"'learning_rate': 1.77e-06, 'epoch': {step / 100}}}\n"
                )
        elif kind == "save_begin":
            out.append(info(time, f"Saving model checkpoint to /fsx/out/checkpoint-{step}"))
    if attempt.finished:
        out.append(
            "\n{'train_runtime': 557.5485, 'train_samples_per_second': 9.04, "
            "'train_steps_per_second': 1.112, 'train_loss': 1.04, 'epoch': 19.68}\n"
        )
    return "".join(out)


def mllog(attempt: Attempt) -> str:
    """mlcommons/logging mllog; keys of the closed division's rules, callbacks of submissions."""

    def record(time: float, event: str, key: str, value: object, **metadata: object) -> str:
        data = {
            "namespace": "",
            "time_ms": round(time * 1000),
            "event_type": event,
            "key": key,
            "value": value,
            "metadata": {"file": "/workspace/callbacks.py", "lineno": 129, **metadata},
        }
        return f"0: :::MLLOG {json.dumps(data)}"

    point, begin, end = "POINT_IN_TIME", "INTERVAL_START", "INTERVAL_END"
    first = attempt.starts_at
    lines = [
        record(first, point, "cache_clear", True),
        record(first, begin, "init_start", None),
        record(first, point, "global_batch_size", BATCH),
        record(first, point, "max_sequence_length", SEQ_LEN),
        record(first, point, "init_checkpoint_step", attempt.resumed),
    ]
    for kind, step, time in attempt.moments():
        if kind == "train":
            lines.append(record(time, end, "init_stop", None))
            lines.append(record(time, begin, "run_start", None))
        elif kind == "step":
            samples = step * BATCH
            stats = {"throughput": 30.7, "train_loss": 3.2}
            lines.append(record(time, point, "tracked_stats", stats, step=samples))
            lines.append(record(time, end, "block_stop", None, samples_count=samples))
    if attempt.finished:
        lines.append(record(attempt.last_time, end, "run_stop", None, status="success"))
    return "\n".join(lines) + "\n"


WRITERS: dict[str, Callable[[Attempt], str]] = {
    "megatron": megatron,
    "nemo": nemo,
    "torchtitan": torchtitan,
    "hf-trainer": hf_trainer,
    "mllog": mllog,
}
