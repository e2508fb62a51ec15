"""A GPU returns wrong results without an error.

No driver message, counter or missing device shows it, so no passive check can detect it. A
rehearsal without GPUs cannot run the check that could: a computation with a known result.
"""

from __future__ import annotations

from clusterwright_rehearsal.scenario_api import faults
from clusterwright_rehearsal.scenario_api.context import ScenarioContext

ORDER = 124
MODES = ("managed",)

PROMISES = {
    "noticed": "a GPU with wrong results and without an error is taken out of service",
}


def run(context: ScenarioContext) -> None:
    faults.require_devices(context, "nvidia")
    # Skipped, not unknown: this is not promised, so it does not affect the exit code.
    context.skip(
        "cannot be detected: the checks read counters, kernel messages and device lists, and"
        " such a GPU changes none of them. A test that computes may find it, before the"
        " cluster is used (resilience.deep_health_checks) or by hand (dcgmi diag); none runs"
        " here"
    )
