"""What an ordinary job user tries on booted machines, one test for each attempt.

The rehearsals are those of the other booted tests: nothing is booted for this file alone.
"""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright_rehearsal.scenario_loader import scenarios
from packages.rehearsal.tests.conftest import SCRIPTED_SCENARIOS, Rehearse

pytestmark = [pytest.mark.slow, pytest.mark.slurm]

(_SCENARIO,) = scenarios(["ordinary-user"])


def attempt(answer: dict[str, Any], name: str) -> dict[str, Any]:
    (found,) = (p for p in answer["promises"] if p["id"] == f"ordinary-user.{name}")
    return dict(found)


@pytest.mark.parametrize("name", _SCENARIO.promises)
def test_managed_configuration(rehearsed: Rehearse, name: str) -> None:
    found = attempt(rehearsed("configs/dev.yaml"), name)
    assert found["status"] == "held", found["reason"]


@pytest.mark.parametrize("name", _SCENARIO.promises)
def test_scripted_configuration(rehearsed: Rehearse, scripted_config: str, name: str) -> None:
    words = [word for each in SCRIPTED_SCENARIOS for word in ("--scenario", each)]
    found = attempt(rehearsed(scripted_config, *words), name)
    assert found["status"] == "held", found["reason"]


@pytest.mark.parametrize("name", _SCENARIO.promises)
def test_parallelcluster(rehearsed: Rehearse, parallelcluster_config: str, name: str) -> None:
    found = attempt(rehearsed(parallelcluster_config), name)
    assert found["status"] == "held", found["reason"]
