"""Logs of Megatron-LM, and of Megatron-Bridge and Pai-Megatron with the same training loop.

Source: NVIDIA/Megatron-LM `megatron/training/training.py` (`training_log`) and `checkpointing.py`.
Fields stand between bars and are read by name: their order differs between releases. The time
stamp in front, the throughput (`--log-throughput`) and the colons of some fields are newer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from clusterwright_metrics.job_logs.events import Event, Settings
from clusterwright_metrics.job_logs.log_text import Line, stamp
from clusterwright_metrics.job_logs.values import count, number, positive

NAME: Final = "megatron"
WORDS: Final = (
    "iteration",
    "checkpoint",
    " ...",
    "world size",
    "] datetime:",
    "torch distributed",
)

_STEP: Final = re.compile(r"(?<!, )\biteration\s+(\d{1,12})\s*/\s*(\d{1,12}|infinity)\s*\|")
_FIELD: Final = re.compile(r"\s*(.+?):?\s+(\S+)\s*$")
_SAVING: Final = re.compile(r"(?<!successfully )\bsaving checkpoint at iteration\s+(\d{1,12})\b")
_SAVED: Final = re.compile(r"successfully saved checkpoint (?:from|at) iteration\s+(\d{1,12})\b")
_LOADED: Final = re.compile(r"successfully loaded checkpoint .*\bat iteration\s+(\d{1,12})\b")
_NO_CHECKPOINT: Final = "will not load any checkpoints and will start from random"
_SAVE_TIMER: Final = re.compile(r"\s*save-checkpoint \.+: \(([\d.]+), ([\d.]+)\)")
_ARGUMENT: Final = re.compile(r"\s*(\w+) \.{2,} (\d{1,12})\s*$")
_WORLD: Final = re.compile(r"using world size: (\d{1,9})\b")
_BEFORE: Final = "[before the start of training step] datetime:"
_AFTER: Final = "[after training is done] datetime:"
_ARGUMENTS: Final = {
    "global_batch_size": "global_batch_size",
    "seq_length": "seq_len",
    "world_size": "world_size",
    "train_iters": "total_steps",
}


def events(line: Line) -> Iterator[Event]:
    """The events of one line."""
    text = line.text
    if "iteration" in text:
        yield from _steps(line)
        for pattern, kind in ((_SAVING, "save_begin"), (_SAVED, "save_end"), (_LOADED, "load")):
            found = pattern.search(text)
            if found and (line.whole or found.end() < len(text)):
                yield Event(kind, line.number, line.time, step=int(found.group(1)))  # type: ignore[arg-type]
    if "save-checkpoint" in text and (timer := _SAVE_TIMER.match(text)):
        longest = positive(timer.group(2))
        if longest is not None:
            yield Event("save_end", line.number, line.time, seconds=longest / 1000)
    if _NO_CHECKPOINT in text:
        yield Event("load", line.number, line.time, step=0)
    if _BEFORE in text:
        yield Event("train", line.number, stamp(text))
    if _AFTER in text:
        yield Event("end", line.number, stamp(text))
    if _WORLD.search(text) or "initializing torch distributed" in text:
        yield Event("start", line.number, line.time)


def settings(line: Line, known: Settings) -> Settings:
    """The settings, with what this line says of them."""
    if " ..." in line.text and (found := _ARGUMENT.match(line.text)):
        name = _ARGUMENTS.get(found.group(1))
        return replace(known, **{name: int(found.group(2))}) if name else known
    if world := _WORLD.search(line.text):
        return replace(known, world_size=int(world.group(1)))
    if "global batch size" in line.text:
        for found in _STEP.finditer(line.text):
            fields = _fields(line.text[found.end() :])
            known = replace(
                known,
                global_batch_size=count(fields.get("global batch size"))
                or known.global_batch_size,
                total_steps=count(found.group(2)) or known.total_steps,
            )
    return known


def _steps(line: Line) -> Iterator[Event]:
    """The step lines of a line: two when processes wrote at the same time."""
    found = list(_STEP.finditer(line.text))
    for index, one in enumerate(found):
        end = found[index + 1].start() if index + 1 < len(found) else len(line.text)
        words = line.text[one.end() : end]
        fields = _fields(words)
        milliseconds = positive(fields.get("elapsed time per iteration (ms)"))
        begin = found[index - 1].end() if index else 0
        time = stamp(line.text[begin : one.start()][-40:])
        yield Event(
            "step",
            line.number,
            time if time is not None else line.time,
            step=int(one.group(1)),
            seconds=None if milliseconds is None else milliseconds / 1000,
            samples=count(fields.get("consumed samples")),
            tokens=count(fields.get("consumed tokens")),
            loss=number(fields.get("lm loss") or fields.get("loss")),
            learning_rate=number(fields.get("learning rate")),
            tflops=positive(fields.get("throughput per GPU (TFLOP/s/GPU)")),
        )


def _fields(words: str) -> dict[str, str]:
    """Fields by name. Each ends with a bar: what follows the last one is cut or another line."""
    found = (_FIELD.match(part) for part in words.split("|")[:-1] if len(part) < 200)
    return {one.group(1): one.group(2) for one in found if one}
