"""CW-J094: Pods in the network of their node exclude the interface of EKS Pod Identity."""

from __future__ import annotations

from typing import Any

import pytest

from tests.jobs.made_manifests import fails, passes, pod, pytorch_job


def job(value: str, **more: Any) -> str:
    """A PyTorchJob whose containers exclude interfaces."""
    spec = pod(**more)
    spec["containers"][0]["env"] = [{"name": "NCCL_SOCKET_IFNAME", "value": value}]
    return pytorch_job(spec)


def test_an_interface_that_every_node_has_with_the_same_address() -> None:
    found = fails("CW-J094", job("^lo,docker,veth,eni", hostNetwork=True))
    assert found.hint == "NCCL_SOCKET_IFNAME=^lo,docker,veth,eni,pod-id-link0"


@pytest.mark.parametrize("value", ["^lo,pod-id-link0", "^lo,pod", "^=lo,pod-id-link0", "eth0"])
def test_an_interface_that_is_excluded(value: str) -> None:
    passes("CW-J094", job(value, hostNetwork=True))
    passes("CW-J094", job("^lo"))


def test_names_that_are_compared_in_full() -> None:
    fails("CW-J094", job("^=lo,pod", hostNetwork=True))
