"""Logs of NeMo 2 with its Lightning loop.

Source: NVIDIA/NeMo `nemo/lightning/pytorch/callbacks/progress_printer.py` (`Training epoch 0,
iteration 28/99 | lr: ... | global_step: 28 | ... | train_step_timing in s: 0.189`), and
`model_checkpoint.py`. `global_step` and the step in a checkpoint's name count from 0. Step lines
have no time stamp; lines of NeMo's logger (`[NeMo I 2025-05-22 20:08:53 ...]`) have one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from clusterwright_metrics.job_logs.events import Event, Settings
from clusterwright_metrics.job_logs.log_text import Line
from clusterwright_metrics.job_logs.values import count, number, positive

NAME: Final = "nemo"
WORDS: Final = ("Training epoch", "heckpoint", "Trainer.fit", "GLOBAL_RANK")

_STEP: Final = re.compile(r"Training epoch (\d{1,9}), iteration (\d{1,12})/(\d{1,12})\b")
_SAVE: Final = re.compile(
    r"Global Checkpoint Save : Rank: \d+ : Iteration: (\d{1,12}) : "
    r"Start time: ([\d.]{1,24})s : Save duration: ([\d.]{1,16})s"
)
_SCHEDULED: Final = re.compile(r"Scheduled async checkpoint save for (\S+)")
_FINALIZED: Final = re.compile(r"Async checkpoint save for step (\d{1,12})\b.*finalized success")
_RESTORED: Final = re.compile(r"Restored all states from the checkpoint (?:file )?at (\S+)")
_IN_PATH: Final = re.compile(r"step=(\d{1,12})\b")
_WORLD: Final = re.compile(r"GLOBAL_RANK: \d+, MEMBER: \d+/(\d{1,9})\b")


def events(line: Line) -> Iterator[Event]:
    """The events of one line."""
    text = line.text
    if "Training epoch" in text:
        yield from _steps(line)
    if save := _SAVE.search(text):
        step, begin, took = int(save.group(1)) + 1, positive(save.group(2)), number(save.group(3))
        yield Event("save_begin", line.number, begin, step=step)
        end = None if begin is None or took is None else begin + took
        yield Event("save_end", line.number, end, step=step, seconds=took)
    elif found := _SCHEDULED.search(text):
        yield Event("save_begin", line.number, line.time, step=_step_in(found.group(1)))
    elif found := _FINALIZED.search(text):
        yield Event("save_end", line.number, line.time, step=int(found.group(1)))
    if found := _RESTORED.search(text):
        yield Event("load", line.number, line.time, step=_step_in(found.group(1)))
    if "`Trainer.fit` stopped" in text:
        yield Event("end", line.number, line.time)
    if _WORLD.search(text):
        yield Event("start", line.number, line.time)


def settings(line: Line, known: Settings) -> Settings:
    """The settings, with what this line says of them."""
    if found := _WORLD.search(line.text):
        return replace(known, world_size=int(found.group(1)))
    if "global_batch_size:" in line.text and "Training epoch" in line.text:
        size = count(_fields(line.text, whole=True).get("global_batch_size"))
        return replace(known, global_batch_size=size) if size else known
    return known


def _steps(line: Line) -> Iterator[Event]:
    found = list(_STEP.finditer(line.text))
    for index, one in enumerate(found):
        last = index + 1 == len(found)
        end = len(line.text) if last else found[index + 1].start()
        fields = _fields(line.text[one.start() : end], whole=line.whole and last)
        step = count(fields.get("global_step"))
        if step is None and one.group(1) == "0":
            step = int(one.group(2))
        yield Event(
            "step",
            line.number,
            line.time,
            step=None if step is None else step + 1,
            seconds=positive(fields.get("train_step_timing in s")),
            samples=count(fields.get("consumed_samples")),
            loss=number(fields.get("reduced_train_loss")),
            learning_rate=number(fields.get("lr")),
            tokens_per_second_per_device=positive(fields.get("tokens_per_sec_per_gpu")),
            tflops=positive(fields.get("TFLOPS_per_GPU")),
        )


def _fields(text: str, *, whole: bool) -> dict[str, str]:
    parts = text.split("|")
    parts = parts if whole else parts[:-1]
    found = (part.partition(":") for part in parts)
    return {name.strip(): value.strip() for name, colon, value in found if colon}


def _step_in(path: str) -> int | None:
    found = _IN_PATH.search(path)
    return int(found.group(1)) + 1 if found else None
