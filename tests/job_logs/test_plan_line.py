"""The line in which a rendered job states what its plan counts."""

from __future__ import annotations

import pytest

from clusterwright.job_logs import read_log
from clusterwright.job_logs.plan_line import plan_line
from tests.support.training_logs import WRITERS, Attempt

LINE = "2026-11-27T18:00:00Z job 7: " + plan_line(4.82e10, 989.4e12, "16") + "\n"
RUN = Attempt(1_764_000_000, resumed=0, last=3)


@pytest.mark.parametrize("framework", WRITERS)
def test_it_is_read_beside_every_framework(framework: str) -> None:
    found = read_log(LINE + WRITERS[framework](RUN))
    settings = found.settings
    assert found.framework == framework
    assert (settings.flops_per_token, settings.peak_flops) == (4.82e10, 989.4e12)
    assert settings.accelerators == 16


def test_a_later_part_of_the_log_keeps_it() -> None:
    head = read_log(LINE).settings
    assert read_log(WRITERS["megatron"](RUN), head).settings.flops_per_token == 4.82e10


@pytest.mark.parametrize(
    "text",
    [
        LINE.replace("4.82e+10", "many"),
        LINE.replace("4.82e+10", "-1"),
        LINE.replace("4.82e+10", "nan"),
        LINE.replace("accelerators=16", "accelerators=0"),
        LINE.replace("accelerators=16", "accelerators=16 form=2"),
        # The end of the file may be cut.
        LINE.rstrip(),
    ],
)
def test_another_form_is_unknown(text: str) -> None:
    settings = read_log(text).settings
    assert settings.flops_per_token is None
    assert settings.accelerators is None
