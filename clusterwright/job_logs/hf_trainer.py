"""Logs of the Trainer of Hugging Face transformers, and of TRL, which uses it.

Source: huggingface/transformers `src/transformers/trainer.py` and `trainer_callback.py`. A record
of the log is a Python dictionary without a step number; newer releases write its values as text.
The step is that of the progress bar (`567/620 [08:21<00:35,  1.49it/s]`), whose elapsed time is
that of the training loop. After a resume the bar begins with the first step done again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from clusterwright.job_logs.events import Event, Settings
from clusterwright.job_logs.log_text import Line, stamp
from clusterwright.job_logs.values import count, number

NAME: Final = "hf-trainer"
WORDS: Final = ("/", "'loss'", "'train_runtime'", " training", "checkpoint", " = ")

_BAR: Final = re.compile(
    r"(\d{1,12})/(\d{1,12}) \[(?:(\d{1,4}) days?, )?(?:(\d{1,4}):)?(\d{1,3}):(\d\d)<"
)
_RECORD: Final = re.compile(r"\{'(?:loss|train_runtime)': [^{}]{0,2000}\}")
_PAIR: Final = re.compile(r"'(\w+)': '?([-+\d.eE]+|nan|inf)'?")
_CONTINUED: Final = re.compile(r"Continuing training from global step (\d{1,12})\b")
_SAVING: Final = re.compile(r"Saving model checkpoint to \S*checkpoint-(\d{1,12})\b")
_BATCH: Final = re.compile(r"Total train batch size \(w\. parallel.*?\) = ([\d,]{1,16})")
_TOTAL: Final = re.compile(r"Total optimization steps = ([\d,]{1,16})")


def events(line: Line) -> Iterator[Event]:
    """The events of one line. Bars of other loops are removed by `training_bars`."""
    text = line.text
    for bar in _BAR.finditer(text) if "[" in text and "<" in text else ():
        days, hours, minutes, seconds = (int(part or 0) for part in bar.groups()[2:])
        # A killed program leaves the bar without an end of line: what follows it is of the next.
        glued = stamp(text[bar.end() :]) is not None
        yield Event(
            "step",
            line.number,
            stamp(text[: bar.start()]) if glued else line.time,
            step=int(bar.group(1)),
            elapsed=((days * 24 + hours) * 60 + minutes) * 60.0 + seconds,
            text=bar.group(2),
        )
    for record in _RECORD.finditer(text) if "{'" in text else ():
        values = dict(_PAIR.findall(record.group()))
        if (loss := number(values.get("loss"))) is not None:
            yield Event(
                "step",
                line.number,
                line.time,
                loss=loss,
                learning_rate=number(values.get("learning_rate")),
                text="record",
            )
        elif (runtime := number(values.get("train_runtime"))) is not None:
            yield Event("end", line.number, line.time, seconds=runtime)
    if "***** Running training *****" in text:
        yield Event("train", line.number, line.time)
    if found := _CONTINUED.search(text):
        yield Event("load", line.number, line.time, step=int(found.group(1)))
    if found := _SAVING.search(text):
        yield Event("save_begin", line.number, line.time, step=int(found.group(1)))


def settings(line: Line, known: Settings) -> Settings:
    """The settings, with what this line says of them."""
    if found := _BATCH.search(line.text):
        return replace(known, global_batch_size=count(found.group(1)))
    if found := _TOTAL.search(line.text):
        return replace(known, total_steps=count(found.group(1)))
    return known


def training_bars(found: list[Event], known: Settings) -> list[Event]:
    """The events with the bars of the training loop alone, each step once.

    It is the bar whose total the log states, otherwise the one with the largest total: evaluation
    and tokenisation have bars of their own. A record's loss belongs to the last bar before it.
    """
    totals = {int(event.text) for event in found if event.text.isdigit()}
    total = known.total_steps if known.total_steps in totals else max(totals, default=None)
    kept: list[Event] = []
    last: int | None = None
    index = 0
    for event in found:
        if event.kind != "step":
            if event.kind in ("train", "load"):
                last = None
            kept.append(event)
        elif event.text == "record":
            if last is None:
                kept.append(replace(event, text=""))
                continue
            kept[index] = replace(kept[index], loss=event.loss, learning_rate=event.learning_rate)
        elif event.text == str(total) and event.step and event.step != last:
            index, last = len(kept), event.step
            kept.append(replace(event, text=""))
    return kept
