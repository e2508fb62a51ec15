"""Tests of CW-I014."""

from __future__ import annotations

from typing import Any

from clusterwright.aws.ec2.images import Image
from clusterwright.preflight.facts.deployment import (
    MachineImage,
)
from tests.preflight.harness import Harness
from tests.preflight.rules.support.access import ACCOUNT

MISSING = "the image ami-00000001 does not exist in us-east-1 for this account"


def test_custom_image_is_checked(rule: Harness) -> None:
    changes = {"image": {"image_id": "ami-00000001"}}

    def image(found: Image | None) -> dict[Any, Any]:
        return {MachineImage("ami-00000001"): found}

    good = Image("ami-00000001", "available", "x86_64", ACCOUNT, "ours")
    path = "image.image_id"
    rule.fails("CW-I014", changes, image(None), path=path, message=MISSING)
    failed = Image(good.id, "failed", good.architecture, good.owner, good.name)
    rule.fails("CW-I014", changes, image(failed), path=path, message="is failed")
    arm = Image(good.id, good.state, "arm64", good.owner, good.name)
    found = rule.run("CW-I014", changes, image(arm))
    assert [f.path for f in found.findings] == [
        "compute[0].instance_type", "compute[1].instance_type",
    ]  # fmt: skip
    rule.passes("CW-I014", changes, image(good))
    # On EKS the launch template defines the root volume.
    workers = {"name": "w", "role": "compute", "instance_type": "p5.48xlarge", "count": 1}
    eks = {**changes, "platform": "eks", "compute": [workers], "slurm": None}
    other = Image(good.id, good.state, "x86_64", ACCOUNT, "ours", "/dev/sda1", 300)
    found = rule.run("CW-I014", eks, image(other))
    assert {f.path for f in found.findings} == {path, "kubernetes.node_volume_gib"}
    fits = Image(good.id, good.state, "x86_64", ACCOUNT, "ours", "/dev/xvda", 200)
    rule.passes("CW-I014", eks, image(fits))
    rule.passes("CW-I014", changes, image(other))
    rule.passes("CW-I014", {}, tested=False)
