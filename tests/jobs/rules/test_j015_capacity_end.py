"""CW-J015: The job ends before its capacity does."""

from __future__ import annotations

import copy
import datetime as dt

import pytest

from tests.jobs.made import NOW, SPEC, check, fails, passes

PLAN = {"kind": "training-plan", "arn": "arn:aws:sagemaker:us-east-1:111122223333:training-plan/a"}
ENDING = copy.deepcopy(SPEC)
ENDING["compute"][1]["capacity"] = PLAN
TOMORROW = NOW + dt.timedelta(days=1)


@pytest.mark.parametrize(
    ("line", "message"),
    [("-t 1-0", "1440 minutes"), ("-N1", "no time limit"), ("-t UNLIMITED", "no time limit")],
)
def test_over_the_end(line: str, message: str) -> None:
    found = fails("CW-J015", f"#!/bin/bash\n#SBATCH {line}\n", ENDING, TOMORROW)
    assert message in found.message
    assert "2026-11-24 11:00 UTC" in found.message
    assert found.severity == "warning"


def test_after_the_end() -> None:
    ended = NOW - dt.timedelta(hours=1)
    found = fails("CW-J015", "#!/bin/bash\n#SBATCH -t 60\n", ENDING, ended)
    assert found.severity == "error"


def test_before_the_end() -> None:
    passes("CW-J015", "#!/bin/bash\n#SBATCH -t 22:00:00\n", ENDING, TOMORROW)
    passes("CW-J015", "#!/bin/bash\n#SBATCH --deadline=2026-11-24T10:00\n", ENDING)
    passes("CW-J015", "#!/bin/bash\n#SBATCH -t 9-0\n", SPEC, TOMORROW)


def test_without_the_end_the_rule_is_skipped() -> None:
    result = check("#!/bin/bash\n#SBATCH -t 9-0\n", ENDING)
    (rule,) = [found for found in result.rules if found.rule == "CW-J015"]
    assert rule.status == "skipped"
    assert "--capacity-ends" in (rule.skipped_because or "")


@pytest.mark.parametrize("limit", ["9-0", "UNLIMITED"])
def test_beyond_the_run_that_is_planned(limit: str) -> None:
    planned = {**ENDING, "run": {"hours": 168}}
    found = fails("CW-J015", f"#!/bin/bash\n#SBATCH -t {limit}\n", planned)
    assert (found.severity, found.limit) == ("warning", 168)
    passes("CW-J015", "#!/bin/bash\n#SBATCH -t 6-0\n", planned)
    passes("CW-J015", f"#!/bin/bash\n#SBATCH -t {limit}\n", {**SPEC, "run": {"hours": 168}})
