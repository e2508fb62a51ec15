"""Keys without an effect are refused."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.cluster_spec.problems import path_text
from clusterwright.cluster_spec.validation import unused_fields
from tests.support.rich_specs import EXISTING
from tests.support.validation import cluster, found


def test_consistent_specs_pass() -> None:
    assert found(unused_fields.problems) == {}
    assert found(unused_fields.problems, base=EXISTING) == {}


@pytest.mark.parametrize(
    ("changes", "path", "message"),
    [
        (
            {"storage.lustre.0.capacity_gib": 1200},
            "storage.lustre[0].capacity_gib",
            "would modify an existing file system",
        ),
        (
            {"storage.lustre.0.compression": "lz4"},
            "storage.lustre[0].compression",
            "would modify an existing file system",
        ),
        (
            {"storage.home.throughput_mbps": 128},
            "storage.home.throughput_mbps",
            "would modify an existing file system",
        ),
        ({"network.cidr": "10.0.0.0/16"}, "network.cidr", "would modify an existing network"),
        ({"network.egress": "closed"}, "network.egress", "would modify an existing network"),
        (
            {"slurm.accounting.multi_az": True},
            "slurm.accounting.multi_az",
            "would modify an existing database",
        ),
    ],
)
def test_contradictions_are_reported(changes: dict[str, Any], path: str, message: str) -> None:
    problems = found(unused_fields.problems, changes, base=EXISTING)
    assert list(problems) == [path]
    assert message in problems[path]


@pytest.mark.parametrize(
    ("changes", "path", "message"),
    [
        (
            {"slurm.accounting": {"kind": "local", "multi_az": True}},
            "slurm.accounting.multi_az",
            "requires accounting of kind rds",
        ),
        (
            {"slurm.accounting": {"kind": "local"}},
            "network.second_availability_zone_id",
            "a second zone is used only by EKS or by an accounting database that is created",
        ),
        (
            {"budget": {"run_usd": 5, "alert_emails": ["a@b.example"]}},
            "budget.alert_emails",
            "requires monthly_usd",
        ),
        (
            {"budget": {"monthly_usd": 5, "alert_thresholds_percent": [5]}},
            "budget.alert_thresholds_percent",
            "without recipients no alert is sent",
        ),
    ],
)
def test_a_key_without_effect_is_refused(changes: dict[str, Any], path: str, message: str) -> None:
    assert message in found(unused_fields.problems, changes)[path]


@pytest.mark.parametrize(
    ("platform", "changes", "path", "hint"),
    [
        (
            "parallelcluster",
            {"resilience": {"node_recovery": "none"}},
            "resilience",
            "platform: hyperpod-slurm or hyperpod-eks or eks",
        ),
        (
            "hyperpod-slurm",
            {"kubernetes": {"version": "1.34"}},
            "kubernetes",
            "platform: hyperpod-eks or eks",
        ),
        (
            "hyperpod-slurm",
            {"parallelcluster": {"os": "rhel9"}},
            "parallelcluster",
            "platform: parallelcluster",
        ),
        (
            "eks",
            {"resilience.deep_health_checks": ["instance-stress"]},
            "resilience.deep_health_checks",
            "platform: hyperpod-slurm or hyperpod-eks",
        ),
        (
            "eks",
            {"compute.2.mig_profile": "all-1g.10gb"},
            "compute[2].mig_profile",
            "platform: hyperpod-eks",
        ),
    ],
)
def test_platforms_that_support_the_key_are_named(
    platform: str, changes: dict[str, Any], path: str, hint: str
) -> None:
    spec = cluster({"platform": platform, **changes})
    hints = {path_text(p.path): p.hint for p in unused_fields.problems(spec)}
    assert hints[path] == hint


def test_the_addon_of_eks_is_no_extension_of_slurm() -> None:
    """Both are called HyperPod's observability; the message names what Slurm has."""
    key = "hyperpod.addons"
    problems = found(unused_fields.problems, {key: [{"name": "observability"}]}, base=EXISTING)
    assert "aws sagemaker create-cluster-extension" in problems["hyperpod"]
    problems = found(unused_fields.problems, {key: [{"name": "training-operator"}]}, base=EXISTING)
    assert problems["hyperpod"] == "`hyperpod` requires platform hyperpod-eks"
