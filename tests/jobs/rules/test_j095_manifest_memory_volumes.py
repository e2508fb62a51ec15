"""CW-J095: Volumes in memory fit in the memory of the containers that write to them."""

from __future__ import annotations

from typing import Any

from tests.jobs.made_manifests import WHOLE, fails, passes, pod, pytorch_job


def job(size: str | None, memory: str | None) -> str:
    """A PyTorchJob with a volume in memory."""
    spec: dict[str, Any] = pod({**WHOLE, **({"memory": memory} if memory else {})})
    empty = {"medium": "Memory", **({"sizeLimit": size} if size else {})}
    spec["volumes"] = [{"name": "shm", "emptyDir": empty}]
    return pytorch_job(spec)


def test_a_volume_that_is_larger_than_the_memory() -> None:
    found = fails("CW-J095", job("128Gi", "64Gi"))
    assert (found.requested, found.limit) == ("128Gi", "64Gi")
    fails("CW-J095", job("64Gi", "64Gi"))


def test_a_volume_within_the_memory() -> None:
    passes("CW-J095", job("64Gi", "128Gi"))
    passes("CW-J095", job(None, "64Gi"))
    passes("CW-J095", job("64Gi", None))
