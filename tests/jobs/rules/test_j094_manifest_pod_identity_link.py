"""CW-J094: Pods in the network of their node exclude the interface of EKS Pod Identity."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.jobs.made_manifests import fails, passes, pod, pytorch_job


def _spec(value: str, name: str = "NCCL_SOCKET_IFNAME", **more: Any) -> dict[str, Any]:
    spec = pod(**more)
    spec["containers"][0]["env"] = [{"name": name, "value": value}]
    return spec


def job(value: str, name: str = "NCCL_SOCKET_IFNAME", **more: Any) -> str:
    """A PyTorchJob whose containers exclude interfaces."""
    return pytorch_job(_spec(value, name, **more))


def test_an_interface_that_every_node_has_with_the_same_address() -> None:
    found = fails("CW-J094", job("^lo,docker,veth,eni", hostNetwork=True))
    assert found.hint == "NCCL_SOCKET_IFNAME=^lo,docker,veth,eni,pod-id-link0"


@pytest.mark.parametrize("value", ["^lo,pod-id-link0", "^lo,pod", "^=lo,pod-id-link0", "eth0"])
def test_an_interface_that_is_excluded(value: str) -> None:
    passes("CW-J094", job(value, hostNetwork=True))
    passes("CW-J094", job("^lo"))


def test_names_that_are_compared_in_full() -> None:
    fails("CW-J094", job("^=lo,pod", hostNetwork=True))


def test_gloo_excludes_no_interfaces() -> None:
    text = job("^lo", "GLOO_SOCKET_IFNAME", hostNetwork=True)
    passes("CW-J094", text)
    found = fails("CW-J067", text)
    assert found.message.startswith("GLOO_SOCKET_IFNAME: Gloo takes names of interfaces")
    assert found.hint is None or "^" not in found.hint


def test_pods_without_sockets_between_nodes() -> None:
    spec = _spec("^lo", hostNetwork=True)
    passes("CW-J094", json.dumps({"apiVersion": "v1", "kind": "Pod", "spec": spec}))
    passes("CW-J094", pytorch_job(spec, 1))
    fails("CW-J094", pytorch_job(spec, "${NODES}"))
    daemons = {"kind": "DaemonSet", "spec": {"template": {"spec": spec}}}
    fails("CW-J094", json.dumps(daemons))
