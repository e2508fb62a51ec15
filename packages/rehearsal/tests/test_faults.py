"""Former names of the faults, for scenario files that use them."""

from __future__ import annotations

import pytest

from clusterwright_rehearsal import faults as former
from clusterwright_rehearsal.scenario_api import faults


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("LOOK", "HEALTH_SERVICE"),
        ("TIMER", "HEALTH_TIMER"),
        ("put", "add"),
        ("mend", "remove"),
        ("look", "check_health"),
        ("reason", "drain_reason"),
        ("expect_drained", "expect_drained"),
        ("expect_in_use", "expect_in_service"),
        ("expectation", "expected_hardware"),
        ("no_looks_of_its_own", "health_timer_stopped"),
        ("rebooted", "reboot_and_wait"),
        ("need_devices", "require_devices"),
        ("make_whole", "restore"),
        ("silent", "unresponsive_file_system"),
        ("failure", "wait_failure"),
        ("kernel_message", "kernel_message"),
        ("unreachable_file_systems", "unreachable_file_systems"),
    ],
)
def test_a_former_name_is_the_present_one(old: str, new: str) -> None:
    assert getattr(former, old) is getattr(faults, new)
    assert old in former.__all__


def test_every_former_name_is_tested() -> None:
    assert len(former.__all__) == 17
