"""The line with which a rendered job states what its plan counts: FLOPs of a token, and the peak.

`clusterwright render jobs` writes it with a plan: frameworks count operations each in its own way,
or not at all, and the exporter of the controller has no plan.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from clusterwright_metrics.job_logs.events import Settings
from clusterwright_metrics.job_logs.log_text import Line
from clusterwright_metrics.job_logs.values import positive

WORD: Final = "plan: flops-per-token="
_LINE: Final = re.compile(
    re.escape(WORD) + r"(\S{1,30}) peak-flops=(\S{1,30}) accelerators=(\d{1,7})$"
)


def plan_line(flops_per_token: float, peak_flops: float, accelerators: str) -> str:
    """The line; `accelerators` may be an expression of the shell that prints it."""
    return f"{WORD}{flops_per_token:.6g} peak-flops={peak_flops:.6g} accelerators={accelerators}"


def settings(line: Line, known: Settings) -> Settings:
    """The settings, with what this line says; unchanged if its form is another."""
    found = _LINE.search(line.text)
    if found is None or not line.whole:
        return known
    flops, peak, count = positive(found.group(1)), positive(found.group(2)), int(found.group(3))
    if flops is None or peak is None or not count:
        return known
    return replace(known, flops_per_token=flops, peak_flops=peak, accelerators=count)
