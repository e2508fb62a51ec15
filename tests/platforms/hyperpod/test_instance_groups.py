"""Limits, names and volumes of HyperPod's instance groups."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest

from clusterwright.platforms.hyperpod.instance_groups import (
    ec2_name,
    encrypts_root_volumes,
    lifecycle_bucket,
    lustre_mounted_by_hyperpod,
    ml_name,
)
from tests.support.specs import LUSTRE, SMALL
from tests.support.validation import cluster


def test_the_bucket_is_named_by_account_and_region() -> None:
    digest = hashlib.sha256(b"111122223333/us-east-1").hexdigest()[:8]
    assert lifecycle_bucket(cluster(base=SMALL)) == f"sagemaker-test-{digest}"
    assert lifecycle_bucket(cluster({"region": "us-west-2"}, SMALL)) != lifecycle_bucket(
        cluster(base=SMALL)
    )


def test_names_of_instance_types() -> None:
    assert ml_name("p5.48xlarge") == "ml.p5.48xlarge"
    assert ec2_name("ml.p5.48xlarge") == "p5.48xlarge"
    assert ec2_name("p5.48xlarge") == "p5.48xlarge"


@pytest.mark.parametrize(
    ("provisioning", "expected"), [("continuous", True), ("all-at-once", False)]
)
def test_root_volumes_are_configured_with_continuous_provisioning(
    provisioning: str, expected: bool
) -> None:
    spec = cluster({"resilience.node_provisioning": provisioning}, SMALL)
    assert encrypts_root_volumes(spec) is expected


@pytest.mark.parametrize(
    ("changes", "count"),
    [
        ({}, 0),
        ({"storage.lustre": [LUSTRE] * 2}, 2),
        ({"storage.lustre": [LUSTRE] * 6}, 3),
        ({"storage.lustre": [LUSTRE] * 6, "compute.1.ebs": {"capacity_gib": 500}}, 2),
        (
            {
                "storage.lustre": [LUSTRE] * 6,
                "storage.home": {"kind": "openzfs", "capacity_gib": 128},
                "compute.1.ebs": {"capacity_gib": 500},
            },
            1,
        ),
        ({"storage.lustre": [LUSTRE] * 2, "slurm.configuration": "scripted"}, 0),
    ],
)
def test_a_group_has_four_storage_entries(changes: dict[str, Any], count: int) -> None:
    spec = cluster({**changes, "resilience.node_provisioning": "continuous"}, SMALL)
    assert lustre_mounted_by_hyperpod(spec) == count
