"""DCGM's diagnostic of level 2, about two minutes."""

from __future__ import annotations

from typing import Optional

from clusterwright_common.probe import Probe

from clusterwright_acceptance import dcgm_diag
from clusterwright_acceptance.expected import Expected
from clusterwright_acceptance.outcome import Outcome

ID = "dcgm-medium"
SECONDS = 890.0
"""awsome-distributed-ai plans 2.5 to 10.5 minutes, and ends it after 15."""


def applies(expected: Expected) -> Optional[str]:
    return None if expected.kind == "nvidia" else "the type has no NVIDIA GPUs"


def look(probe: Probe, expected: Expected) -> Outcome:
    return dcgm_diag.look(probe, expected, 2, SECONDS)
