"""Scenarios on the nodes of AWS PCS, with the hidden controller; one cluster for all of them."""

from __future__ import annotations

import pytest

from clusterwright_rehearsal.scenario_loader import scenarios
from packages.rehearsal.tests.answers import of, skipped
from packages.rehearsal.tests.conftest import Rehearse

pytestmark = [pytest.mark.slow, pytest.mark.slurm]

_ON_PCS = (
    *("ordinary-user", "operator-requests", "acceptance", "acceptance-at-boot"),
    "acceptance-interrupted",
    *("first-boot", "second-run", "instance-replaced", "lifecycle-action-fails"),
    *("bootstrap-fails", "lustre-over-tcp", "registration-blocked", "packages-upgraded"),
    *("gpu-ecc", "gpu-hangs", "gpu-xid", "pcie-degraded"),
    "lustre-unreachable-mid-job",
    *("credentials-end", "kill-at-every-step", "scale-to-jobs", "slurm-version-ends"),
    *("reservation-reclaimed", "metrics"),
)


@pytest.mark.parametrize("name", _ON_PCS)
def test_pcs_keeps_its_promises(rehearsed: Rehearse, pcs_config: str, name: str) -> None:
    answer = rehearsed(pcs_config, "--all")
    assert of(answer, "deployment") == {}
    assert of(answer, name) == {}
    assert name not in skipped(answer)
    looked_at = {p["id"] for p in answer["promises"] if p["scenario"] == name}
    (scenario,) = (found for found in scenarios() if found.name == name)
    assert looked_at == {f"{name}.{promise}" for promise in scenario.promises}


def test_other_scenarios_are_skipped_with_a_reason(rehearsed: Rehearse, pcs_config: str) -> None:
    others = {scenario.name for scenario in scenarios()} - set(_ON_PCS)
    assert skipped(rehearsed(pcs_config, "--all")) == others
