"""Slurm's own reasons for a node that is down or drained: see `slurm_reasons.py`."""

from __future__ import annotations

from typing import Final

from clusterwright.diagnosis import slurm_reasons
from clusterwright.diagnosis.signature import Signature, Values


def _cause(values: Values) -> str | None:
    return slurm_reasons.meaning(values["reason"])


SIGNATURES: Final = (
    Signature(
        "node-reason",
        _cause,
        (rf"^(?P<reason>[^\n]{{0,200}}(?:{slurm_reasons.PATTERN})[^\n]{{0,200}})",),
        per_node=True,
        kinds=("scheduler-node",),
        next=("clusterwright drift {file}", "clusterwright diagnose {file} node {node}"),
    ),
)
