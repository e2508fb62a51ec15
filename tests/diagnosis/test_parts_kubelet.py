"""Errors of the kubelet by the file of its source and their words."""

from __future__ import annotations

import pytest

from clusterwright.diagnosis.parts_kubelet import KUBELET
from tests.diagnosis.made import findings, of_log

_LINE = 'Nov  3 12:40:12 i-1 kubelet[9]: E1103 12:40:12.000001    9 {}:83] "{}" err="{}"'
CASES = (
    ("client.go", "ListAndWatch ended", "EOF", "a device plug-in on the node ended"),
    ("goroutinemap.go", "Operation failed", "it was refused", "a CSI driver"),
    ("reconciler.go", "Operation failed", "it was refused", "attached, mounted or unmounted"),
    ("kuberuntime_image.go", "Failed", "it was refused", "an image cannot be pulled"),
    ("kubelet.go", "Container network is not ready", "x", "the network of a pod"),
    ("generic.go", "Unable to retrieve pods", "x", "containerd) does not answer"),
    ("eviction_manager.go", "Failed to get stats", "x", "the node runs out"),
    ("kubelet_node_status.go", "Unable to update", "x", "does not reach the Kubernetes API"),
    ("cgroup_manager_linux.go", "Failed to update", "x", "the cgroups of pods"),
    ("run.go", "command failed", "x", "its settings are not valid"),
    ("cpu_manager.go", "Failed to assign", "x", "as its policy asks"),
    ("prober.go", "It failed", "x", "the probe of a container fails"),
)


@pytest.mark.parametrize(("file", "message", "error", "words"), CASES)
def test_message_is_of_its_part(file: str, message: str, error: str, words: str) -> None:
    assert words in (KUBELET.error(_LINE.format(file, message, error)) or "")


def test_every_part_has_a_message_here() -> None:
    said = [KUBELET.error(_LINE.format(*case[:3])) or "" for case in CASES]
    for one in KUBELET.parts:
        assert any(one.wrong in cause for cause in said)


def test_what_the_other_end_answered_is_a_part_of_the_cause() -> None:
    error = "rpc error: code = Unavailable desc = error reading from server: EOF"
    (found,) = findings(*of_log(_LINE.format("endpoint.go", "it ended", error)))
    assert "not given to pods: a service cannot be reached" in found.cause


def test_lines_of_others_and_warnings_have_no_part() -> None:
    assert KUBELET.error('W1103 12:40:12.1    9 client.go:83] "device plugin"') is None
    assert KUBELET.error("E1103 12:40:12.1    9 client.go:83] device plugin") is None
