"""Throughput by layout, from the folders that the job layout-sweep writes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.goodput.attempts import NamedLog, attempts_of, step_median
from clusterwright.goodput.report import Prices, RecordedPlan, mfu_of, tokens_per_step
from clusterwright.goodput.results import (
    LayoutOutcome,
    LayoutPoint,
    LayoutReport,
    Unknown,
    plain,
)

DEGREES: Final = ("tensor", "pipeline", "context", "data")
"""Their product is the number of accelerators of a layout."""
LAYOUT_FILE: Final = "layout.json"


@dataclass(frozen=True)
class LayoutFolder:
    """A folder of the sweep: the layout that its file states, and its logs."""

    name: str
    layout: Mapping[str, Any]
    logs: tuple[NamedLog, ...]


def layout_report(
    cluster: Cluster,
    folders: Sequence[LayoutFolder],
    *,
    file: str,
    prices: Prices,
    plan: RecordedPlan | None,
) -> LayoutReport:
    """One point for each folder, the fastest layout first, those without a throughput last.

    Several logs of a folder are those of a task that was started again.
    """
    unknown: list[Unknown] = []
    points = []
    for folder in folders:
        point = _point(folder, prices, plan, unknown)
        if point is not None:
            points.append(point)
    points.sort(key=lambda p: (-(p.tokens_per_second or 0.0), p.name))
    if not points:
        reason = f"no folder has the file {LAYOUT_FILE} of the job layout-sweep"
        unknown.append(Unknown("throughput", reason))
    if plan is None:
        reason = "there is no plan, which has the predicted throughput and the FLOPs of a token"
        unknown.append(Unknown("MFU and the prediction", reason, "--plan NAME.plan.json"))
    return LayoutReport(
        file,
        cluster.environment,
        tuple(points),
        tuple(unknown),
        instance_type=prices.instance_type,
        workload=plan.workload if plan else None,
    )


def _point(
    folder: LayoutFolder, prices: Prices, plan: RecordedPlan | None, unknown: list[Unknown]
) -> LayoutPoint | None:
    degrees = [plain(folder.layout.get(name)) for name in DEGREES]
    if not all(value is not None and value >= 1 for value in degrees):
        reason = f"{LAYOUT_FILE} states no {', '.join(DEGREES)}"
        unknown.append(Unknown(f"layout of {folder.name}", reason))
        return None
    accelerators = int(math.prod(value for value in degrees if value is not None))
    if not prices.accelerators:
        unknown.append(Unknown(f"nodes of {folder.name}", prices.reason))
        return None
    seconds = step_median(attempts_of(folder.logs, []))
    tokens = tokens_per_step(folder.logs, plan)
    speed = tokens / seconds if tokens and seconds else None
    outcome = _outcome(folder, measured=speed is not None)
    if speed is None and outcome == "incomplete":
        reason = (
            "no log has step lines"
            if not any(named.log.steps for named in folder.logs)
            else "no line states batch, sequence length and the time of a step"
        )
        unknown.append(Unknown(f"throughput of {folder.name}", reason))
    return LayoutPoint(
        name=folder.name,
        layout={k: v for k, v in folder.layout.items() if isinstance(v, str | int | float)},
        nodes=math.ceil(accelerators / prices.accelerators),
        outcome=outcome,
        tokens_per_second=speed,
        step_seconds=seconds,
        mfu=mfu_of(speed, accelerators, prices, plan),
        predicted_tokens_per_second=None if plan is None else _predicted(folder.layout, plan),
        files=tuple(named.path for named in folder.logs),
        tokens_per_step=tokens,
    )


def _outcome(folder: LayoutFolder, *, measured: bool) -> LayoutOutcome:
    if measured:
        return "measured"
    errors = [e.text for named in folder.logs for e in named.log.events if e.kind == "error"]
    if "out of memory" in errors:
        return "out of memory"
    return "failed" if errors else "incomplete"


def _predicted(layout: Mapping[str, Any], plan: RecordedPlan) -> float | None:
    """Tokens per second of the layout at the plan's median; None if the plan does not have it.

    In-run MFU of the plan is that of the chosen candidate; the days of the others state how much
    slower they are.
    """
    speed, days = plan.tokens_per_second, _median_days(plan.chosen)
    found = plan.document.get("candidates")
    theirs = next(
        (
            _median_days(candidate)
            for candidate in (found if isinstance(found, list) else ())
            if isinstance(candidate, Mapping) and same_layout(candidate.get("layout"), layout)
        ),
        None,
    )
    return speed * days / theirs if speed and days and theirs else None


def same_layout(one: object, other: Mapping[str, Any]) -> bool:
    """Whether two layouts are the same but for their text, which is written from the others."""
    if not isinstance(one, Mapping):
        return False
    names = (one.keys() | other.keys()) - {"text"}
    return all(one.get(name) == other.get(name) for name in names)


def _median_days(candidate: Mapping[str, Any]) -> float | None:
    days = candidate.get("days")
    return plain(days.get("p50")) if isinstance(days, Mapping) else None
