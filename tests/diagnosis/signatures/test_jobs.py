"""Signatures of the family `jobs`, with messages as their sources write them."""

from __future__ import annotations

import pytest

from tests.diagnosis.made import signature_of

CASES = (
    ("job", "FAILED exit 137:0", "job-exit"),
    ("job", "NODE_FAIL exit 0:0", "job-node-fail"),
    ("job", "BOOT_FAIL exit 0:0", "job-boot-fail"),
    ("job", "PREEMPTED exit 0:0", "job-preempted"),
    ("pending", "pending: JobHeldAdmin", "pending-held"),
    ("pending", "pending: AssocGrpNodeLimit", "pending-limit"),
    ("pending", "pending: Resources", "pending-resources"),
    ("pending", "pending: PartitionTimeLimit", "pending-impossible"),
    ("pending", "pending: (BeginTime)", "pending-begin"),
    (
        "log",
        "slurmd: error: Invalid job credential from 10.0.1.7: Job credential expired",
        "step-credential",
    ),
    (
        "log",
        "ssh: Could not resolve hostname train-worker-0: Name or service not known",
        "ssh-name",
    ),
    (
        "log",
        "ssh: Could not resolve hostname github.com: Name or service not known",
        "name-resolution",
    ),
)


@pytest.mark.parametrize(("kind", "text", "signature"), CASES)
def test_message_has_its_signature(kind: str, text: str, signature: str) -> None:
    assert signature_of(kind, text) == (signature,)
