"""Tests of clusterwright.platforms.slurm_settings."""

from __future__ import annotations

import pytest

from clusterwright.cluster_spec.models.slurm import Slurm
from clusterwright.platforms.slurm_settings import accounting_settings, preemption_settings

PRIORITIES = {
    "PriorityWeightAge": "7",
    "PriorityMaxAge": "7-0",
    "PriorityWeightFairshare": "8",
    "PriorityWeightQOS": "9",
    "PriorityDecayHalfLife": "14-0",
}


@pytest.mark.parametrize(
    ("has_gpus", "is_enforced", "added"),
    [
        (False, False, {}),
        (True, False, {"AccountingStorageTRES": "gres/gpu"}),
        (False, True, {"AccountingStorageEnforce": "associations,limits,qos"}),
    ],
)
def test_accounting_settings(has_gpus: bool, is_enforced: bool, added: dict[str, str]) -> None:
    slurm = Slurm.model_validate({"priority_weights": {"age": 7, "fair_share": 8, "qos": 9}})
    found = accounting_settings(slurm, has_gpus=has_gpus, is_enforced=is_enforced)
    assert found == PRIORITIES | added


def test_preemption_settings() -> None:
    assert preemption_settings(Slurm()) == {}
    found = preemption_settings(Slurm.model_validate({"preemption": "requeue"}))
    assert found == {"PreemptType": "preempt/qos", "PreemptMode": "REQUEUE"}
