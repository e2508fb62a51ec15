"""Nodes are drained and resumed through kubectl."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from clusterwright.cluster_state.kubernetes_nodes import KubernetesNodes
from clusterwright.cluster_state.kubernetes_view import KubectlFailed
from clusterwright.cluster_state.not_read import NotRead


@pytest.mark.parametrize(("is_schedulable", "verb"), [(True, "uncordon"), (False, "cordon")])
def test_a_node_of_the_context(is_schedulable: bool, verb: str) -> None:
    called: list[Sequence[str]] = []

    def kubectl(arguments: Sequence[str], given: str = "") -> str:
        del given
        called.append(arguments)
        return ""

    assert KubernetesNodes("train", kubectl).set_schedulable("a", is_schedulable) is None
    assert called == [["--context", "train", "--request-timeout=10s", verb, "a"]]


def test_a_refusal_of_kubernetes() -> None:
    def kubectl(arguments: Sequence[str], given: str = "") -> str:
        raise KubectlFailed("kubectl failed: Error from server (Forbidden)")

    assert KubernetesNodes("train", kubectl).set_schedulable("a", False) == NotRead(
        "the Kubernetes API", "kubectl failed: Error from server (Forbidden)"
    )
