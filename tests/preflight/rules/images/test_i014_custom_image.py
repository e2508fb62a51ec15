"""Tests of CW-I014."""

from __future__ import annotations

import dataclasses
import datetime as dt
from typing import Any

import pytest

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


CHANGES = {"image": {"image_id": "ami-00000001"}}
GOOD = Image("ami-00000001", "available", "x86_64", ACCOUNT, "ours")


def test_images_that_are_about_to_disappear_or_lack_a_driver(rule: Harness) -> None:
    def facts(**more: Any) -> dict[Any, Any]:
        return {MachineImage(GOOD.id): dataclasses.replace(GOOD, **more)}

    old = facts(deprecation_time="2026-12-01T00:00:00.000Z")
    rule.passes("CW-I014", CHANGES, old)
    run = {"hours": 24, "start": "2026-12-01"}
    rule.fails(
        "CW-I014", {**CHANGES, "run": run}, old, path="image.image_id",
        message="the owner of ami-00000001 deprecates it on 2026-12-01", severity="warning",
    )  # fmt: skip
    rule.fails(
        "CW-I014", CHANGES, old, path="image.image_id", message="deprecates it on 2026-12-01",
        today=dt.date(2026, 12, 2),
    )  # fmt: skip
    rule.fails(
        "CW-I014", CHANGES, facts(enhanced_networking=False), path="image.image_id",
        message="does not support ENA",
    )  # fmt: skip
    rule.passes("CW-I014", CHANGES, facts(enhanced_networking=True))


@pytest.mark.parametrize(
    ("tag", "value", "path", "message"),
    [
        ("version", "3.14.0", "parallelcluster.version",
         "ami-00000001 was built for version 3.14.0, the spec has 3.16.1"),
        ("os", "alinux2023", "parallelcluster.os",
         "ami-00000001 was built for os alinux2023, the spec has ubuntu2204"),
    ],
)  # fmt: skip
def test_images_of_another_parallelcluster(
    rule: Harness, tag: str, value: str, path: str, message: str
) -> None:
    def facts(**tags: str) -> dict[Any, Any]:
        named = {f"parallelcluster:{key}": said for key, said in tags.items()}
        return {MachineImage(GOOD.id): dataclasses.replace(GOOD, tags=named)}

    changes = {**CHANGES, "platform": "parallelcluster"}
    rule.fails("CW-I014", changes, facts(**{tag: value}), path=path, message=message)
    rule.passes("CW-I014", changes, facts(version="3.16.1", os="ubuntu2204"))
    rule.passes("CW-I014", CHANGES, facts(**{tag: value}))


def test_images_that_parallelcluster_did_not_build(rule: Harness) -> None:
    def facts(**more: Any) -> dict[Any, Any]:
        return {MachineImage(GOOD.id): dataclasses.replace(GOOD, **more)}

    changes = {**CHANGES, "platform": "parallelcluster"}
    rule.fails(
        "CW-I014", changes, facts(), path="image.image_id", severity="warning",
        message="ami-00000001 has none of the tags of images for ParallelCluster",
    )  # fmt: skip
    # Tags of another owner cannot be read.
    rule.passes("CW-I014", changes, facts(owner="999999999999"))
    rule.passes("CW-I014", CHANGES, facts())
    amazon = "aws-parallelcluster-{}-ubuntu-2204-lts-hvm-x86_64-202601010000"
    old = facts(owner="247102896272", name=amazon.format("3.14.0"))
    rule.fails(
        "CW-I014", changes, old, path="parallelcluster.version",
        message=f"{amazon.format('3.14.0')} is for version 3.14.0, the spec has 3.16.1",
    )  # fmt: skip
    rule.passes("CW-I014", changes, facts(name=amazon.format("3.16.1")))


@pytest.mark.parametrize(
    ("platform", "section", "key"),
    [
        ("parallelcluster", "parallelcluster", "root_volume_gib"),
        ("parallelcluster", "parallelcluster", "head_node_root_volume_gib"),
        ("pcs", "pcs", "root_volume_gib"),
    ],
)
def test_root_volume_is_as_large_as_the_image(
    rule: Harness, platform: str, section: str, key: str
) -> None:
    def changes(size: int) -> dict[str, Any]:
        return {**base, section: {key: size}}

    base: dict[str, Any] = {**CHANGES, "platform": platform}
    if platform == "pcs":
        login = {"name": "login", "role": "login", "instance_type": "m5.4xlarge", "count": 1}
        workers = {"name": "gpus", "role": "compute", "instance_type": "p5.48xlarge", "count": 4}
        accounting = {"accounting": {"kind": "none"}}
        base |= {"compute": [login, workers], "slurm": accounting}

    tags = {"parallelcluster:version": "3.16.1"}
    facts = {MachineImage(GOOD.id): dataclasses.replace(GOOD, root_volume_gib=100, tags=tags)}
    rule.fails(
        "CW-I014", changes(60), facts, path=f"{section}.{key}",
        message="ami-00000001 has a root volume of 100 GiB, and nodes have one of 60",
    )  # fmt: skip
    rule.passes("CW-I014", changes(100), facts)
    # Without a size, the platform takes the image's.
    rule.passes("CW-I014", base, facts)


EKS: dict[str, Any] = {
    **CHANGES,
    "platform": "eks",
    "compute": [
        {"name": "system", "role": "system", "instance_type": "m5.4xlarge", "count": 2},
        {"name": "w", "role": "compute", "instance_type": "p5.48xlarge", "count": 1},
    ],
    "slurm": None,
    "kubernetes": {"version": "1.34"},
}


@pytest.mark.parametrize(
    ("name", "path", "message"),
    [
        ("amazon-eks-gpu-node-1.26-v20231230", "image.image_id", "has Amazon Linux 2, and"),
        ("amazon-eks-node-1.32-v20250501", "image.image_id", "no node joins the cluster"),
        (
            "amazon-eks-node-al2023-x86_64-nvidia-1.35-v20260304",
            "kubernetes.version",
            "has the kubelet of 1.35, newer than the control plane with 1.34",
        ),
        (
            "amazon-eks-node-al2023-x86_64-standard-1.34-v20260801",
            "compute[1].instance_type",
            "is the variant standard, without the driver of the accelerators of p5.48xlarge",
        ),
        (
            "amazon-eks-node-al2023-x86_64-neuron-1.34-v20260801",
            "compute[1].instance_type",
            "is the variant neuron, without the driver",
        ),
    ],
)
def test_images_of_eks_say_by_their_names_what_they_are_for(
    rule: Harness, name: str, path: str, message: str
) -> None:
    found = {MachineImage(GOOD.id): dataclasses.replace(GOOD, name=name)}
    rule.fails("CW-I014", EKS, found, path=path, message=message)


@pytest.mark.parametrize(
    "name",
    [
        "amazon-eks-node-al2023-x86_64-nvidia-1.34-v20260801",
        "amazon-eks-node-al2023-x86_64-nvidia-560-1.34-v20260801",
        "amazon-eks-node-al2023-x86_64-nvidia-1.33-v20260801",
        "ours",
    ],
)
def test_images_of_eks_that_fit_or_have_another_name(rule: Harness, name: str) -> None:
    rule.passes("CW-I014", EKS, {MachineImage(GOOD.id): dataclasses.replace(GOOD, name=name)})
