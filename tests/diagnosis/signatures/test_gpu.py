"""Signatures of the family `gpu`, with messages as their sources write them."""

from __future__ import annotations

import pytest

from tests.diagnosis.made import signature_of

CASES = (
    ("log", "NVRM: Xid (PCI:0000:b9:00): 48, pid=1, DBE", "xid-reboot"),
    ("log", "NVRM: Xid (PCI:0000:b9:00): 13, pid=1, Graphics Exception", "xid"),
    ("log", "NVRM: GPU 0000:b9:00.0: GPU has fallen off the bus.", "gpu-lost"),
    ("log", "DCGM_FR_FAULTY_MEMORY on GPU 3", "gpu-ecc"),
    ("log", "DCGM_FR_STRESS_LEVEL on GPU 3", "dcgm"),
    ("node-status", "The instance is not healthy.", "hardware"),
    ("log", "Kernel panic - not syncing", "kernel-panic"),
)


@pytest.mark.parametrize(("kind", "text", "signature"), CASES)
def test_message_has_its_signature(kind: str, text: str, signature: str) -> None:
    assert signature_of(kind, text) == (signature,)
