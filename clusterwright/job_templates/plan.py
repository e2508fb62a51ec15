"""What a job takes from a recorded plan (`clusterwright plan --write`, `--format json`)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from clusterwright.sizing.plan_types import Layout


class PlanError(Exception):
    """The document is not the plan of a training run."""


@dataclass(frozen=True)
class TrainingPlan:
    """The values of a plan that job files use.

    Attributes
    ----------
    name:
        The file.
    layout:
        Sizes by dimension: tensor, pipeline, context, expert, data, micro_batch, accumulation.
    checkpoint_bytes, interval_seconds, blocking_seconds:
        Of one checkpoint: its size, the time between two, and the time that one stops the run.
    save_every_steps:
        The interval in steps; None if the plan has no settings of a framework.
    flops_per_token, peak_flops:
        Model FLOPs of a token, and FLOP/s of one accelerator at the peak that the plan's MFU
        refers to; None where the plan does not state them.
    layouts:
        The layouts of all candidates with the chosen type and number of nodes, the chosen first.
    layout_days:
        Days of the run with each of them at P50; None where the plan does not state them.
    instead:
        Which layout the job has instead of the chosen one, and why; None with the chosen one.
    """

    name: str
    model: Mapping[str, Any]
    nodes: int
    instance_type: str | None
    layout: Mapping[str, Any]
    seq_len: int
    kind: str
    megatron: tuple[str, ...]
    nemo: Mapping[str, Any]
    torchtitan: Mapping[str, Any]
    global_batch: int | None
    train_steps: int | None
    checkpoint_bytes: float | None
    interval_seconds: float | None
    blocking_seconds: float | None
    kept: int | None
    flops_per_token: float | None
    peak_flops: float | None
    layouts: tuple[Mapping[str, Any], ...]
    layout_days: tuple[float | None, ...] = ()
    instead: str | None = None

    @property
    def save_every_steps(self) -> int | None:
        checkpoint = self.torchtitan.get("checkpoint")
        every = checkpoint.get("interval") if isinstance(checkpoint, Mapping) else None
        return _whole(every)


def training_plan(name: str, document: Mapping[str, Any]) -> TrainingPlan:
    """Return the values of a plan. Raises PlanError."""
    chosen = _chosen(document)
    model, seq_len = document.get("model"), _whole(document.get("seq_len"))
    nodes = _whole(chosen.get("nodes"))
    layout = chosen.get("layout")
    if document.get("command") != "plan" or not isinstance(model, Mapping) or not seq_len:
        raise PlanError("it is not the plan of a training run")
    if not nodes or not isinstance(layout, Mapping):
        raise PlanError("its chosen candidate has no layout")
    launch = _mapping(document.get("launch"))
    storage = _mapping(document.get("storage"))
    words = launch.get("megatron")
    instance_type = chosen.get("instance_type")
    layouts = _layouts(document, nodes, chosen)
    return TrainingPlan(
        name=name,
        model=model,
        nodes=nodes,
        instance_type=instance_type if isinstance(instance_type, str) else None,
        layout=layout,
        seq_len=seq_len,
        kind=str(document.get("kind")),
        megatron=tuple(str(word) for word in words) if isinstance(words, list) else (),
        nemo=_mapping(launch.get("nemo")),
        torchtitan=_mapping(launch.get("torchtitan")),
        global_batch=_whole(launch.get("global_batch")),
        train_steps=_whole(launch.get("train_steps")),
        checkpoint_bytes=_number(storage.get("checkpoint_bytes")),
        interval_seconds=_number(storage.get("interval_seconds")),
        blocking_seconds=_number(storage.get("blocking_seconds")),
        kept=_whole(storage.get("kept")),
        flops_per_token=_ratio(document.get("training_flops"), document.get("tokens")),
        peak_flops=_tera(_mapping(document.get("estimate")).get("mfu_peak_tflops")),
        layouts=tuple(each for each, _ in layouts),
        layout_days=tuple(days for _, days in layouts),
    )


def sizes_of(layout: Mapping[str, Any]) -> Layout:
    """A layout of a plan as a `Layout`."""
    return Layout(**{one.name: layout[one.name] for one in fields(Layout) if one.name in layout})


def _chosen(document: Mapping[str, Any]) -> Mapping[str, Any]:
    candidates = document.get("candidates")
    for candidate in candidates if isinstance(candidates, list) else ():
        if isinstance(candidate, Mapping) and candidate.get("chosen"):
            return candidate
    return {}


def _layouts(
    document: Mapping[str, Any], nodes: int, chosen: Mapping[str, Any]
) -> list[tuple[Mapping[str, Any], float | None]]:
    found: list[tuple[Mapping[str, Any], float | None]] = []
    for candidate in (chosen, *(document.get("candidates") or ())):
        layout = candidate.get("layout") if isinstance(candidate, Mapping) else None
        if not isinstance(layout, Mapping) or layout in [one for one, _ in found]:
            continue
        same = candidate.get("instance_type") == chosen.get("instance_type")
        if candidate.get("nodes") == nodes and same:
            found.append((layout, _number(_mapping(candidate.get("days")).get("p50"))))
    return found


def _ratio(one: Any, other: Any) -> float | None:
    whole, part = _number(one), _number(other)
    return whole / part if whole and part else None


def _tera(value: Any) -> float | None:
    number = _number(value)
    return number * 1e12 if number else None


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value)


def _whole(value: Any) -> int | None:
    number = _number(value)
    return int(number) if number is not None and number > 0 and number == int(number) else None
