"""Replicas that serve a model, by type, as text or Markdown."""

from __future__ import annotations

from clusterwright.render.style import PLAIN, Style
from clusterwright.render.table import Align, columns, markdown_cell, markdown_table
from clusterwright.sizing.serving_types import Replica, Serving

_HEADER = ("type", "accelerators", "GiB each", "tokens/s at most", "bound by")
_ALIGNS: tuple[Align, ...] = ("left", "right", "right", "right", "left")


def serving_text(serving: Serving, style: Style = PLAIN) -> str:
    """A table of the replicas, and why other types have none."""
    lines = [style.paint("bold", _title(serving)), ""]
    lines += columns([_HEADER, *(_row(one) for one in serving.replicas)], _ALIGNS)
    lines += ["", *(f"  {style.paint('warning', '-')} {text}" for text in serving.warnings)]
    return "\n".join(lines) + "\n"


def serving_markdown(serving: Serving) -> str:
    """The replicas for a pull request."""
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
