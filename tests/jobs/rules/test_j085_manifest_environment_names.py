"""CW-J085: Variables of containers have the names that programs read."""

from __future__ import annotations

from tests.jobs.made_manifests import fails, passes, pod, pytorch_job


def with_variable(name: str, command: str = "python train.py") -> str:
    spec = pod()
    spec["containers"][0]["env"] = [{"name": name, "value": "efa"}]
    spec["containers"][0]["command"] = ["bash", "-c", command]
    return pytorch_job(spec)


def test_misspelt_name() -> None:
    found = fails("CW-J085", with_variable("FI_PROVDER"))
    assert found.message == "no program is known to read FI_PROVDER"
    assert found.hint == "did you mean `FI_PROVIDER`?"


def test_names_that_are_read() -> None:
    passes("CW-J085", with_variable("FI_PROVIDER"))
    passes("CW-J085", with_variable("NCCL_DEBUGS", "NCCL_DEBUG=${NCCL_DEBUGS} python train.py"))
