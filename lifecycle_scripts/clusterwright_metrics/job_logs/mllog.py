"""Logs of MLPerf Training: `:::MLLOG {json}`.

Source: mlcommons/logging `mlperf_logging/mllog` and the rule sets of its compliance checker. The
progress is `samples_count` (sequences) or `step_num`; what `step` and `epoch_num` count differs
between submissions (sequences or tokens), so they are not read.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from clusterwright_metrics.job_logs.events import Event, Settings
from clusterwright_metrics.job_logs.log_text import Line
from clusterwright_metrics.job_logs.values import count, number

NAME: Final = "mllog"
WORDS: Final = (":::MLLOG",)

_STEP_KEYS: Final = ("block_stop", "tracked_stats", "train_loss")
_SETTINGS: Final = {
    "global_batch_size": "global_batch_size",
    "max_sequence_length": "seq_len",
    "max_steps": "total_steps",
}
_DECODER: Final = json.JSONDecoder()


def events(line: Line) -> Iterator[Event]:
    """The events of one line; the step follows from the samples in `with_steps`."""
    for record in _records(line.text):
        event = _event(record, line)
        if event is not None:
            yield event


def settings(line: Line, known: Settings) -> Settings:
    """The settings, with what this line says of them."""
    for record in _records(line.text):
        name = _SETTINGS.get(str(record.get("key")))
        value = count(str(record.get("value"))) if name else None
        if name and value:
            known = replace(known, **{name: value})
    return known


def with_steps(found: list[Event], known: Settings) -> list[Event]:
    """The events with steps, where the samples are a multiple of the batch; each step once."""
    size = known.global_batch_size
    kept: list[Event] = []
    for one in found:
        step = one.step
        if step is None and one.samples is not None and size and one.samples % size == 0:
            step = one.samples // size
        event = replace(one, step=step)
        last = kept[-1] if kept else None
        if last and last.kind == event.kind == "step" and last.step == step is not None:
            kept[-1] = replace(
                last,
                loss=last.loss if last.loss is not None else event.loss,
                learning_rate=last.learning_rate or event.learning_rate,
                seconds=last.seconds or event.seconds,
            )
        else:
            kept.append(event)
    return kept


def _event(record: Mapping[str, Any], line: Line) -> Event | None:
    key, value = record.get("key"), record.get("value")
    metadata = record.get("metadata")
    data = metadata if isinstance(metadata, Mapping) else {}
    milliseconds = number(str(record.get("time_ms")))
    time = None if milliseconds is None else milliseconds / 1000
    if key == "init_start":
        return Event("start", line.number, time)
    if key == "run_start":
        return Event("train", line.number, time)
    if key == "run_stop":
        return Event("end", line.number, time, text=str(data.get("status", "")))
    if key == "init_checkpoint_step":
        return Event("load", line.number, time, step=count(str(value)))
    if key not in _STEP_KEYS:
        return None
    stats = value if isinstance(value, Mapping) else {}
    samples, step = count(str(data.get("samples_count"))), count(str(data.get("step_num")))
    if samples is None and step is None:
        return None
    return Event(
        "step",
        line.number,
        time,
        step=step,
        samples=samples,
        seconds=number(str(stats.get("train_step_time"))),
        loss=number(str(stats.get("train_loss", stats.get("loss")))),
        learning_rate=number(str(stats.get("lr"))),
    )


def _records(text: str) -> Iterator[Mapping[str, Any]]:
    """The records of a line; one that is cut is left out."""
    at = text.find(":::MLLOG")
    while at >= 0:
        begin = text.find("{", at)
        if begin < 0:
            return
        try:
            record, _ = _DECODER.raw_decode(text, begin)
        except (ValueError, RecursionError):
            record = None
        if isinstance(record, Mapping):
            yield record
        at = text.find(":::MLLOG", begin)
