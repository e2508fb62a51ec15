"""Serving a model: replicas by type, as text, JSON or Markdown."""

from __future__ import annotations

from typing import Any

from clusterwright.render.envelope import json_answer
from clusterwright.render.style import PLAIN, Style
from clusterwright.render.table import Align, columns, markdown_cell, markdown_table
from clusterwright.sizing.serving_types import Replica, Serving

_HEADER = ("type", "accelerators", "GiB each", "tokens/s at most", "bound by")
_ALIGNS: tuple[Align, ...] = ("left", "right", "right", "right", "left")


def serving_json(serving: Serving) -> str:
    """`serving` holds the replicas, the fewest accelerators first."""
    data = {
        "kind": "inference",
        "model": {"name": serving.shape.name, "params": serving.shape.params},
        "serving": {
            "precision": serving.precision,
            "sequences": serving.sequences,
            "seq_len": serving.seq_len,
            "replicas": [_replica(one) for one in serving.replicas],
        },
        "warnings": list(serving.warnings),
    }
    return json_answer("plan", 0, data)


def serving_text(serving: Serving, style: Style = PLAIN) -> str:
    """A table of what fits, and what does not with the reason."""
    lines = [style.paint("bold", _title(serving)), ""]
    lines += columns([_HEADER, *(_row(one) for one in serving.replicas)], _ALIGNS)
    lines += ["", *(f"  {style.paint('warning', '-')} {text}" for text in serving.warnings)]
    return "\n".join(lines) + "\n"


def serving_markdown(serving: Serving) -> str:
    """The same for a pull request."""
    lines = [f"### {markdown_cell(_title(serving))}", ""]
    lines += markdown_table(_HEADER, [_row(one) for one in serving.replicas], _ALIGNS)
    lines += ["", *(f"- {markdown_cell(text)}" for text in serving.warnings)]
    return "\n".join(lines) + "\n"


def _title(serving: Serving) -> str:
    return (
        f"{serving.shape.name}, serving {serving.sequences:,} sequences of {serving.seq_len:,} "
        f"tokens in {serving.precision}: the smallest replica of each type"
    )


def _row(one: Replica) -> tuple[str, str, str, str, str]:
    if one.infeasible:
        return (one.hardware.name, "-", "-", "-", one.infeasible)
    assert one.tokens_per_s_bound is not None
    return (
        one.hardware.name,
        f"{one.accelerators} of {one.hardware.per_node}",
        f"{one.per_accelerator_gib:,.1f} of {one.hardware.memory_gib:,.1f}",
        f"{one.tokens_per_s_bound:,.0f}",
        one.bound_by or "",
    )


def _replica(one: Replica) -> dict[str, Any]:
    return {
        "instance_type": one.hardware.instance_type,
        "accelerator": one.hardware.accelerator,
        "accelerators": one.accelerators,
        "parts_gib": one.parts_gib,
        "per_accelerator_gib": one.per_accelerator_gib,
        "tokens_per_s_bound": one.tokens_per_s_bound,
        "bound_by": one.bound_by,
        "infeasible": one.infeasible,
    }
