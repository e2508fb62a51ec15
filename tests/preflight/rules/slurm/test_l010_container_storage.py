"""Tests of CW-L010."""

from __future__ import annotations

from tests.preflight.harness import Harness


def test_container_storage_on_the_root_volume_is_reported(rule: Harness) -> None:
    pyxis = {"slurm": {"containers": {"pyxis": True}}}
    finding = rule.fails(
        "CW-L010",
        pyxis,
        path="compute[1]",
        message="`workers` has no scratch: Enroot unpacks images in home directories",
        severity="warning",
    )
    assert finding.hint == "scratch: {}"
    rule.passes("CW-L010", {**pyxis, "compute.1.scratch": {}})
    rule.passes("CW-L010", {**pyxis, "compute.1.ebs": {"capacity_gib": 500}})
    without = {**pyxis, "compute.1.instance_type": "m5.4xlarge"}
    finding = rule.fails("CW-L010", without, path="compute[1]", message="`workers` has no scratch")
    assert finding.hint == "ebs: {capacity_gib: 500}"
    rule.passes("CW-L010", {}, tested=False)
