"""Settings that Karpenter supports."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from clusterwright.cluster_spec import SpecErrors
from clusterwright.cluster_spec.karpenter import scaled_groups
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.validation import karpenter as subject
from clusterwright.platforms.loading import load_cluster
from tests.platforms.kubernetes.conftest import Load, load  # noqa: F401
from tests.platforms.kubernetes.specs import HYPERPOD, KARPENTER
from tests.support.rich_specs import changed


def found(spec: dict[str, Any]) -> list[tuple[str, str]]:
    cluster = Cluster.model_validate({**spec, "partition": "aws"})
    return [
        (".".join(map(str, problem.path)), problem.message)
        for problem in subject.problems(cluster)
    ]


def test_every_capacity_kind_can_be_scaled(load: Load) -> None:  # noqa: F811
    names = [group.name for group in scaled_groups(load(KARPENTER))]
    assert names == ["system", "workers", "Block-1", "reserved", "spot"]


@pytest.mark.parametrize(
    ("spec", "section"),
    [
        (
            {
                **KARPENTER,
                "compute": [{**g, "max_count": None} for g in KARPENTER["compute"]],
            },
            "kubernetes",
        ),
        # max_count equals count: no node can be added.
        ({**KARPENTER, "compute": [{**KARPENTER["compute"][0], "count": 5}]}, "kubernetes"),
        (
            {**HYPERPOD, "compute": [{**g, "max_count": None} for g in HYPERPOD["compute"]]},
            "hyperpod",
        ),
        # HyperPod's Karpenter does not support training plans.
        (
            {
                **HYPERPOD,
                "compute": [
                    {
                        **HYPERPOD["compute"][-1],
                        "capacity": {
                            "kind": "training-plan",
                            "arn": "arn:aws:sagemaker:us-east-1:111122223333:training-plan/a",
                        },
                    }
                ],
            },
            "hyperpod",
        ),
    ],
)
def test_autoscaler_without_a_group_to_scale_is_refused(
    spec: dict[str, Any], section: str
) -> None:
    ((path, message),) = found(spec)
    assert path == f"{section}.autoscaling"
    assert "Karpenter has no group to scale, so it would never add a node" in message


@pytest.mark.parametrize("spec", [KARPENTER, HYPERPOD], ids=["eks", "hyperpod-eks"])
def test_autoscaler_with_a_group_to_scale_is_accepted(spec: dict[str, Any]) -> None:
    assert found(spec) == []


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        (
            "min_count",
            2,
            "Karpenter never removes the `count` nodes, and nothing else scales the group",
        ),
        ("threads_per_core", 1, "threads per core"),
        ("network_interface", "efa", "`interface` and `efa-only`"),
        (
            "labels",
            {"karpenter.k8s.aws/a": "b"},
            "reserved by Karpenter",
        ),
        (
            "labels",
            {"karpenter.sh/capacity-type": "spot"},
            "reserved by Karpenter",
        ),
    ],
)
def test_unsupported_settings_of_scaled_groups_are_refused(
    key: str, value: Any, words: str
) -> None:
    ((path, message),) = found(changed(KARPENTER, **{f"compute__1__{key}": value}))
    assert path.startswith(f"compute.1.{key}")
    assert words in message
    # A group that Karpenter does not scale can have it.
    fixed = changed(KARPENTER, **{f"compute__1__{key}": value, "compute__1__max_count": None})
    assert found(fixed) == []


@pytest.mark.parametrize("key", ["kubernetes.io/cluster/other", "karpenter.sh/nodepool"])
def test_karpenter_tags_are_refused(key: str) -> None:
    ((path, _),) = found(changed(KARPENTER, tags={key: "owned"}))
    assert path == f"tags.{key}"


@pytest.mark.parametrize(
    ("version", "refused"),
    [("1.13.9", True), ("v1.9.0", True), ("0.37.0", True), ("1.14.0", False), ("v2.0.0", False)],
)
def test_too_old_chart_versions_are_refused(version: str, refused: bool) -> None:
    charts = [{"name": "karpenter", "version": version}]
    spec = changed(KARPENTER, kubernetes__workloads__charts=charts)
    assert [path for path, _ in found(spec)] == (
        ["kubernetes.workloads.charts.0.version"] if refused else []
    )


def test_block_can_be_scaled_by_karpenter_only(tmp_path: Path) -> None:
    path = tmp_path / "spec.yaml"
    path.write_text(json.dumps(changed(KARPENTER, kubernetes__autoscaling="off")))
    with pytest.raises(SpecErrors) as raised:
        load_cluster(path)
    messages = " ".join(problem.message for problem in raised.value.problems)
    assert "a capacity block has a fixed number of instances" in messages
    # A component that is not installed has no chart.
    assert "Karpenter is not installed" in messages


def test_hyperpod_autoscaling_has_its_own_section(tmp_path: Path) -> None:
    path = tmp_path / "spec.yaml"
    path.write_text(json.dumps(changed(HYPERPOD, kubernetes__autoscaling="karpenter")))
    with pytest.raises(SpecErrors) as raised:
        load_cluster(path)
    assert "hyperpod.autoscaling" in raised.value.problems[0].message
