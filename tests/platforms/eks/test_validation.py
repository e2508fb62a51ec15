"""Settings that managed node groups support."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.cluster_spec.validation import unused_fields
from clusterwright.platforms.eks import validation
from tests.support.rich_specs import EKS, EKS_MINIMAL, HYPERPOD_EKS
from tests.support.validation import found

TAINT = {"key": "gpu", "effect": "NoSchedule"}


def test_consistent_specs_pass() -> None:
    assert found(validation.problems) == {}
    assert found(validation.problems, base=EKS) == {}
    assert found(validation.problems, base=EKS_MINIMAL) == {}
    assert found(validation.problems, {"compute.0.taints": [TAINT]}, HYPERPOD_EKS) == {}


@pytest.mark.parametrize(
    ("changes", "path", "words"),
    [
        ({"compute.0.taints": [TAINT]}, "compute", "no group has nodes without taints"),
        ({"compute.0.count": 0}, "compute", "no group has nodes without taints"),
        (
            {"compute.0.labels": {f"key-{i}": "x" for i in range(49)}},
            "compute[0].labels",
            "and two are set automatically",
        ),
        (
            {
                "compute.0.capacity": {"kind": "capacity-block", "id": "cr-0a1b2c3d4e5f60718"},
                "compute.0.max_count": 9,
            },
            "compute[0].max_count",
            "cannot grow",
        ),
    ],
)
def test_contradictions_are_reported(changes: dict[str, Any], path: str, words: str) -> None:
    problems = found(validation.problems, changes, EKS_MINIMAL)
    assert list(problems) == [path]
    assert words in problems[path]


@pytest.mark.parametrize(
    "taints",
    [
        [{"key": "gpu", "effect": "PreferNoSchedule"}],
        [{"key": "CriticalAddonsOnly", "effect": "NoSchedule"}],
    ],
)
def test_taints_tolerated_by_the_addons_pass(taints: list[dict[str, str]]) -> None:
    assert found(validation.problems, {"compute.0.taints": taints}, EKS_MINIMAL) == {}


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"image": {"release_version": "1.0.0"}}, "image.release_version"),
        ({"lifecycle": {"steps": ["a.py"]}}, "lifecycle"),
        ({"resilience": {"node_provisioning": "continuous"}}, "resilience.node_provisioning"),
        ({"resilience": {"deep_health_checks": []}}, "resilience.deep_health_checks"),
        ({"observability": {"metrics": {"listen": "off"}}}, "observability.metrics"),
        ({"compute.0.ebs": {"capacity_gib": 100}}, "compute[0].ebs"),
    ],
)
def test_unsupported_keys_are_refused(changes: dict[str, Any], path: str) -> None:
    assert path in found(unused_fields.problems, changes, EKS_MINIMAL)


@pytest.mark.parametrize("key", ["node_volume_gib", "max_unavailable_percent"])
def test_hyperpod_has_no_node_groups(key: str) -> None:
    problems = found(unused_fields.problems, {f"kubernetes.{key}": 50}, HYPERPOD_EKS)
    assert "requires platform eks" in problems[f"kubernetes.{key}"]
