"""Former names of `scenario_api.faults`, for scenario files that use them."""

from __future__ import annotations

from clusterwright_rehearsal.scenario_api.faults import HEALTH_SERVICE as LOOK
from clusterwright_rehearsal.scenario_api.faults import HEALTH_TIMER as TIMER
from clusterwright_rehearsal.scenario_api.faults import add as put
from clusterwright_rehearsal.scenario_api.faults import check_health as look
from clusterwright_rehearsal.scenario_api.faults import drain_reason as reason
from clusterwright_rehearsal.scenario_api.faults import (
    expect_drained,
    kernel_message,
    unreachable_file_systems,
)
from clusterwright_rehearsal.scenario_api.faults import expect_in_service as expect_in_use
from clusterwright_rehearsal.scenario_api.faults import expected_hardware as expectation
from clusterwright_rehearsal.scenario_api.faults import health_timer_stopped as no_looks_of_its_own
from clusterwright_rehearsal.scenario_api.faults import reboot_and_wait as rebooted
from clusterwright_rehearsal.scenario_api.faults import remove as mend
from clusterwright_rehearsal.scenario_api.faults import require_devices as need_devices
from clusterwright_rehearsal.scenario_api.faults import restore as make_whole
from clusterwright_rehearsal.scenario_api.faults import unresponsive_file_system as silent
from clusterwright_rehearsal.scenario_api.faults import wait_failure as failure

__all__ = [
    "LOOK",
    "TIMER",
    "expect_drained",
    "expect_in_use",
    "expectation",
    "failure",
    "kernel_message",
    "look",
    "make_whole",
    "mend",
    "need_devices",
    "no_looks_of_its_own",
    "put",
    "reason",
    "rebooted",
    "silent",
    "unreachable_file_systems",
]
