"""Scenarios on Trainium, and where our scripts configure Slurm."""

from __future__ import annotations

import pytest

from packages.rehearsal.tests.answers import ATTEMPTS, attempt, of, skipped
from packages.rehearsal.tests.conftest import Rehearse

pytestmark = [pytest.mark.slow, pytest.mark.slurm]

_TRAINIUM = "configs/examples/trn1-1.yaml"
_SCRIPTED = (
    *("first-boot", "second-run", "metrics", "kill-at-every-step", "denied", "scale"),
    *("ordinary-user", "container-job", "devices-late", "power-cycle"),
    "acceptance",
)
_SCRIPTED_WORDS = [word for each in _SCRIPTED for word in ("--scenario", each)]
_ON_TRAINIUM = ("first-boot", "metrics", "neuron-lost", "neuron-ecc", "efa-down")


@pytest.mark.parametrize("name", _ON_TRAINIUM)
def test_trainium_cluster_keeps_its_promises(rehearsed: Rehearse, name: str) -> None:
    words = [word for each in _ON_TRAINIUM for word in ("--scenario", each)]
    answer = rehearsed(_TRAINIUM, *words)
    assert of(answer, "deployment") == {}
    assert of(answer, name) == {}
    assert name not in skipped(answer)


@pytest.mark.parametrize("name", _SCRIPTED)
def test_scripted_configuration_keeps_its_promises(
    rehearsed: Rehearse, scripted_config: str, name: str
) -> None:
    answer = rehearsed(scripted_config, *_SCRIPTED_WORDS)
    assert of(answer, "deployment") == {}
    assert of(answer, name) == {}
    assert name not in skipped(answer)


@pytest.mark.parametrize("name", ATTEMPTS)
def test_ordinary_user_is_refused(rehearsed: Rehearse, scripted_config: str, name: str) -> None:
    assert attempt(rehearsed(scripted_config, *_SCRIPTED_WORDS), name) == "held"
