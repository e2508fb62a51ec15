"""A GPU computes wrongly and says nothing of it.

No driver message, no counter and no missing device tells of it, so no check that only looks can
find it, and a rehearsal without GPUs cannot try the one that could: computing something whose
result is known.
"""

from __future__ import annotations

from clusterwright_rehearsal.scenario_api import faults
from clusterwright_rehearsal.scenario_api.context import ScenarioContext

ORDER = 124
MODES = ("managed",)

PROMISES = {"noticed": "a GPU whose results are wrong without any error is taken out of use"}


def run(context: ScenarioContext) -> None:
    faults.require_devices(context, "nvidia")
    # Not a promise of unknown outcome: nobody makes it, so no verdict waits for it.
    context.skip(
        "cannot be detected: the checks read counters, kernel messages and device lists, and"
        " such a GPU changes none of them. A test that computes may find it, before the"
        " cluster is used (resilience.deep_health_checks) or by hand (dcgmi diag); none runs"
        " here"
    )
