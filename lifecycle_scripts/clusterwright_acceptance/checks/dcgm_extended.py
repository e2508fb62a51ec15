"""DCGM's diagnostic of level 4, up to 2 h 15 min, with the readers of counters stopped."""

from __future__ import annotations

from typing import Optional

from clusterwright_common.probe import Probe

from clusterwright_acceptance import dcgm_diag
from clusterwright_acceptance.expected import Expected
from clusterwright_acceptance.outcome import Outcome

ID = "dcgm-extended"
SECONDS = 8_600.0


def applies(expected: Expected) -> Optional[str]:
    return None if expected.kind == "nvidia" else "the type has no NVIDIA GPUs"


def look(probe: Probe, expected: Expected) -> Outcome:
    with dcgm_diag.readers_stopped(probe):
        return dcgm_diag.look(probe, expected, 4, SECONDS)
