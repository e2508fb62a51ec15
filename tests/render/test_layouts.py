"""The report of layouts as text."""

from __future__ import annotations

from typing import Any

from clusterwright.render.layouts import layouts_text
from tests.support.goodput_reports import START, layouts
from tests.support.training_logs import WRITERS, Attempt

LAYOUT: dict[str, Any] = {"tensor": 8, "pipeline": 1, "context": 1, "data": 2}


def test_whole_text() -> None:
    log = WRITERS["megatron"](Attempt(START, 0, 12, step_s=40.0))
    memory = "torch.OutOfMemoryError: CUDA out of memory.\n"
    assert (
        layouts_text(layouts({"TP8-DP2": (LAYOUT, log), "DP16": (LAYOUT, memory)}))
        == """\
prod: throughput by layout

  layout   nodes  tokens/s   s/step      MFU  predicted    of it  outcome
  TP8-DP2      2     6,554       40     1.7%    unknown  unknown  measured
  DP16         2   unknown  unknown  unknown    unknown  unknown  out of memory
"""
    )


def test_nothing_was_measured() -> None:
    assert "unknown: throughput" in layouts_text(layouts({}))
