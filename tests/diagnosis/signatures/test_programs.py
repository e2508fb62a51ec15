"""Signatures of the family `programs`, with messages as their sources write them."""

from __future__ import annotations

import pytest

from tests.diagnosis.made import signature_of

CASES = (
    ("NVRM: _kgspBootGspRm: unexpected WPR2 already up, cannot proceed", "nvidia-driver"),
    ("slurmd.service: Main process exited, code=exited, status=203/EXEC", "unit-result"),
    ("fsx.mount: Mount process exited, code=exited, status=32/n/a", "unit-mount"),
    (
        "Warning  FailedJobs  5m  jobset  jobset failed due to one or more job failures",
        "operator-event",
    ),
    ("sssd_be[999]: Backend is offline", "program"),
)


@pytest.mark.parametrize(("text", "signature"), CASES)
def test_message_has_its_signature(text: str, signature: str) -> None:
    assert signature_of("log", text) == (signature,)
