"""Signatures of the family `training`, with messages as their sources write them."""

from __future__ import annotations

import pytest

from tests.diagnosis.made import signature_of

CASES = (
    ("log", "RuntimeError: CUDA error: device-side assert triggered", "cuda-error"),
    (
        "log",
        "torch.distributed.DistStoreError: Timed out after 601 seconds waiting for clients",
        "rendezvous",
    ),
    (
        "log",
        "RuntimeError: DataLoader worker (pid 12) is killed by signal: Killed.",
        "data-loader",
    ),
    (
        "log",
        "slurmstepd: error: execve(): /fsx/run: No such file or directory",
        "job-program-missing",
    ),
    (
        "log",
        "slurmstepd: error: *** JOB 7 ON workers-1 CANCELLED AT 2026-11-23T08:00:00 DUE TO TIME LIMIT ***",
        "time-limit",
    ),
    ("log", "OSError: [Errno 24] Too many open files", "too-many-files"),
    (
        "log",
        "The server socket has failed to listen on any local network address. port: 29500, EADDRINUSE",
        "master-port",
    ),
    ("log", "found NaN in local grad norm in backward pass", "numerical"),
    ("log", "libfabric: Unresponsive remote receiver. Peer GID 00", "efa-error"),
)


@pytest.mark.parametrize(("kind", "text", "signature"), CASES)
def test_message_has_its_signature(kind: str, text: str, signature: str) -> None:
    assert signature_of(kind, text) == (signature,)
