"""Events of a training job's log."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

Kind = Literal["start", "load", "train", "step", "save_begin", "save_end", "end", "error"]

UNKNOWN: Final = "unknown"
"""The framework of a log in which no known line was found."""


@dataclass(frozen=True)
class Event:
    """One line of a log that means something; None where the line does not say it.

    Attributes
    ----------
    kind:
        `start` of the program, `load` of a checkpoint, begin of the `train`ing loop, a `step`,
        `save_begin` and `save_end` of a checkpoint, `end` of the training, `error`.
    line:
        Line number, from 1.
    time:
        Seconds since 1970-01-01 UTC of the line's own time stamp. A stamp without a time zone is
        taken as UTC.
    step:
        Training steps (iterations, optimizer steps) completed. Of `train`: before the first step.
    seconds:
        Of a step: seconds per step. Of `load` and `save_end`: how long it took.
    elapsed:
        Seconds since the training loop began, where the line has them and no time of day.
    samples, tokens:
        Sequences and tokens consumed since the beginning of the run.
    tokens_per_second_per_device:
        Throughput of one accelerator.
    tflops:
        10^12 FLOP/s of one accelerator, as the framework counts them.
    mfu:
        Model FLOPs utilisation as a share of 1, as the framework counts it.
    rank:
        Of the process that wrote the line.
    since:
        The last time stamp of the lines between the event before and this one.
    after_silence:
        The time stamp after the longest silence between the event before and this one: where a
        program that was started again begins.
    """

    kind: Kind
    line: int = 0
    time: float | None = None
    step: int | None = None
    seconds: float | None = None
    elapsed: float | None = None
    samples: int | None = None
    tokens: int | None = None
    loss: float | None = None
    learning_rate: float | None = None
    tokens_per_second_per_device: float | None = None
    tflops: float | None = None
    mfu: float | None = None
    rank: int | None = None
    text: str = ""
    since: float | None = None
    after_silence: float | None = None


@dataclass(frozen=True)
class Settings:
    """What a log says of the run's settings; None where it does not.

    Attributes
    ----------
    global_batch_size:
        Sequences of a step.
    seq_len:
        Tokens of a sequence.
    world_size:
        Processes, one for each accelerator.
    total_steps:
        Steps of the whole run.
    flops_per_token, peak_flops, accelerators:
        What the job's plan counts: model FLOPs of a token, FLOP/s of one accelerator at its dense
        peak, and the accelerators of the job.
    """

    global_batch_size: int | None = None
    seq_len: int | None = None
    world_size: int | None = None
    total_steps: int | None = None
    flops_per_token: float | None = None
    peak_flops: float | None = None
    accelerators: int | None = None

    @property
    def tokens_per_step(self) -> int | None:
        """Tokens of a step."""
        if self.global_batch_size is None or self.seq_len is None:
            return None
        return self.global_batch_size * self.seq_len


@dataclass(frozen=True)
class JobLog:
    """One log file.

    Attributes
    ----------
    framework:
        `megatron`, `nemo`, `torchtitan`, `hf-trainer`, `mllog` or `unknown`.
    lines:
        Number of lines.
    first_time, last_time:
        The first and the last time stamp of any line.
    """

    framework: str
    events: tuple[Event, ...]
    settings: Settings
    lines: int
    first_time: float | None = None
    last_time: float | None = None

    @property
    def steps(self) -> tuple[Event, ...]:
        """Events with a step number."""
        return tuple(e for e in self.events if e.kind == "step" and e.step is not None)
