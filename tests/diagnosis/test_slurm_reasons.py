"""The reasons that Slurm gives for a node that is down or drained."""

from __future__ import annotations

import pytest

from clusterwright.diagnosis import engine
from clusterwright.diagnosis.model import Evidence

CONTEXT = engine.Context("configs/prod.yaml", "prod", "111122223333", "us-east-1")


def _cause(reason: str) -> str:
    item = Evidence("scheduler-node", "s", "1", None, reason, node="w-1", failed=True)
    (finding,) = engine.findings([item], CONTEXT)
    return finding.cause


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("CoreSpec differ", "CpuSpecList"),
        ("Low TmpDisk", "is smaller than TmpDisk"),
        ("RestrictedCoresPerGPU=4 but no gpus on node w-1", "RestrictedCoresPerGPU asks"),
        (
            "Reported active features (a) are not a superset of currently active changeable "
            "features (b)",
            "helpers.conf",
        ),
        ("Could not unpack gres data", "gres.conf"),
        ("Failed to set topology 'default:s1'", "its topology"),
        ("NO NETWORK ADDRESS FOUND", "cannot be resolved"),
        ("reboot timed out", "did not come back"),
        ("Prolog/Epilog failure", "prolog or the epilog"),
        ("switch_g_job_postfini failed", "SwitchType"),
        ("SlurmdSpoolDir is full", "disk full"),
        ("Bad core count", "count of its cores"),
    ],
)
def test_reason_has_its_meaning(reason: str, words: str) -> None:
    assert words in _cause(reason)
    assert _cause(reason).endswith(f": {reason}")


def test_reason_of_a_person_is_left_to_the_person() -> None:
    assert (
        _cause("waiting for a new cable")
        == "(not stated) drained the node: waiting for a new cable"
    )
