"""Logs of torchtitan.

Source: pytorch/torchtitan `torchtitan/components/metrics.py` (the step line), `checkpoint.py` and
`train.py`. `tps` is of one device, with thousands commas; `mfu` is `N/A` for quantised training.
Lines of validation (`validate step:`) are not steps.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from math import prod
from typing import Final

from clusterwright_metrics.job_logs.events import Event, Settings
from clusterwright_metrics.job_logs.log_text import Line, stamp
from clusterwright_metrics.job_logs.values import number, positive

NAME: Final = "torchtitan"
WORDS: Final = ("step:", "checkpoint", "Training ", "Trainer is", "device mesh", "Starting job")

_STEP: Final = re.compile(r"(?<!validate )\bstep:\s*(\d{1,12})\s+loss:")
_FIELD: Final = re.compile(r"\b(loss|grad_norm|lr|tps|tflops|mfu):\s*([-+\d.,eE]+|nan|inf|N/A)")
_SAVING: Final = re.compile(
    r"Saving (?:the|a full|a model[ -]only|a model weights only) checkpoint\b"
    r"(?:.*\bstep (\d{1,12}))?"
)
_SAVED: Final = re.compile(
    r"(?:Finished saving the checkpoint.*?|Last step checkpoint completed )in ([\d.]{1,16})"
)
_LOADING: Final = re.compile(
    r"Loading the checkpoint (?:from \S*?step-(\d{1,12})\b|at step (\d{1,12})\b|from )"
)
_LOADED: Final = re.compile(r"Finished loading the checkpoint in ([\d.]{1,16})")
_BEGINS: Final = re.compile(r"Training starts at step (\d{1,12})\b")
_NUMBERS: Final = (
    ("global_batch_size", re.compile(r"global batch size (\d{1,12})\b")),
    ("seq_len", re.compile(r"sequence length (\d{1,12})\b")),
    ("total_steps", re.compile(r"total steps (\d{1,12})\b")),
)
_MESH: Final = re.compile(r"\b(pp|dp_replicate|dp_shard|cp|tp)=(\d{1,9})\b")


def events(line: Line) -> Iterator[Event]:
    """The events of one line."""
    text = line.text
    if "step:" in text:
        yield from _steps(line)
    if "checkpoint" in text:
        yield from _checkpoints(line)
    if found := _BEGINS.search(text):
        yield Event("train", line.number, line.time, step=max(0, int(found.group(1)) - 1))
    if "Training completed" in text:
        yield Event("end", line.number, line.time)
    if "Starting job:" in text:
        yield Event("start", line.number, line.time)


def settings(line: Line, known: Settings) -> Settings:
    """The settings, with what this line says of them."""
    text = line.text
    if "global batch size" in text:
        for name, pattern in _NUMBERS:
            if found := pattern.search(text):
                known = replace(known, **{name: int(found.group(1))})
    if "device mesh with parallelism" in text:
        sizes = {name: int(size) for name, size in _MESH.findall(text)}
        if sizes and prod(sizes.values()) > 0:
            known = replace(known, world_size=prod(sizes.values()))
    return known


def _steps(line: Line) -> Iterator[Event]:
    found = list(_STEP.finditer(line.text))
    for index, one in enumerate(found):
        last = index + 1 == len(found)
        end = len(line.text) if last else found[index + 1].start()
        words = line.text[one.start() : end]
        fields = _FIELD.findall(words)
        if last and not line.whole and "%" not in words[-3:]:
            fields = fields[:-1]
        values = dict(fields)
        mfu = positive(values.get("mfu"))
        begin = found[index - 1].end() if index else 0
        time = stamp(line.text[begin : one.start()][-80:])
        yield Event(
            "step",
            line.number,
            time if time is not None else line.time,
            step=int(one.group(1)),
            loss=number(values.get("loss")),
            learning_rate=number(values.get("lr")),
            tokens_per_second_per_device=positive(values.get("tps")),
            tflops=positive(values.get("tflops")),
            mfu=None if mfu is None else mfu / 100,
        )


def _checkpoints(line: Line) -> Iterator[Event]:
    text = line.text
    if found := _SAVED.search(text):
        yield Event("save_end", line.number, line.time, seconds=number(found.group(1)))
    elif found := _SAVING.search(text):
        step = int(found.group(1)) if found.group(1) else None
        yield Event("save_begin", line.number, line.time, step=step)
    if found := _LOADED.search(text):
        yield Event("load", line.number, line.time, seconds=number(found.group(1)))
    elif found := _LOADING.search(text):
        step_text = found.group(1) or found.group(2)
        yield Event("load", line.number, line.time, step=int(step_text) if step_text else None)
