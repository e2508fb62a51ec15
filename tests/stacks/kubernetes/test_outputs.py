"""The outputs of a deployment about file systems are those that the manifests need."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.platforms.kubernetes.storage import UnknownVolumeError, storage_manifests
from tests.platforms.kubernetes.conftest import load  # noqa: F401
from tests.platforms.kubernetes.specs import EKS, HYPERPOD
from tests.support.rich_specs import changed
from tests.support.synthesis import Build

SECOND = {"mount_path": "/data", "capacity_gib": 4800, "throughput_mbps_per_tib": 1000}


@pytest.mark.parametrize("spec", [EKS, HYPERPOD], ids=["eks", "hyperpod-eks"])
def test_outputs_have_every_file_system(
    build: Build,
    load: Any,  # noqa: F811
    spec: dict[str, Any],
) -> None:
    spec = changed(spec, storage__lustre=[*spec["storage"]["lustre"], SECOND])
    template = build(spec).templates["test-cluster"]
    outputs = dict.fromkeys(template["Outputs"], "value")
    found = list(storage_manifests(load(spec), outputs))
    assert len(found) == 2 * len(spec["tenants"]) * (2 + ("home" in spec["storage"]))
    with pytest.raises(UnknownVolumeError):
        list(storage_manifests(load(spec), {}))
