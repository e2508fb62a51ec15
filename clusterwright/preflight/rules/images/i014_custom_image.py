"""The custom image exists and matches the instances."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator

from clusterwright.aws.ec2.images import Image
from clusterwright.catalog import Known
from clusterwright.platforms import accelerators
from clusterwright.platforms.eks.launch_templates import ROOT_DEVICE
from clusterwright.preflight.facts.deployment import MachineImage
from clusterwright.preflight.rule import (
    Context,
    Facts,
    FactValues,
    Fail,
    Results,
    Rule,
    Subjects,
    Unknown,
)
from clusterwright.preflight.rules.compute_groups import instance_types

_OFFICIAL = re.compile(r"aws-parallelcluster-(\d+\.\d+\.\d+)-")
"""Names of AWS's images, such as aws-parallelcluster-3.16.1-ubuntu-2204-lts-hvm-x86_64-..."""
_TAGS = frozenset({"parallelcluster:version", "parallelcluster:os"})

_EKS_AL2 = re.compile(r"amazon-eks-(?:gpu-|arm64-)?node-(\d+\.\d+)-")
"""Names of AWS's images with Amazon Linux 2, such as amazon-eks-gpu-node-1.26-v20231230."""
_EKS_AL2023 = re.compile(r"amazon-eks-node-al2023-[a-z0-9_]+-([a-z]+)(?:-\d+)?-(\d+\.\d+)-")
"""Such as amazon-eks-node-al2023-x86_64-nvidia-1.34-v20260801: variant and version."""


class CustomImage(Rule[str]):
    id = "CW-I014"
    prevents = (
        "CreateCluster fails, or instances do not boot: the image is for another architecture"
    )
    source = (
        "EC2 DescribeImages; aws/aws-parallelcluster, InstanceTypeBaseAMICompatible, "
        "CustomAmiTagValidator, AmiOsCompatibleValidator; EC2 user guide, device names for "
        "volumes, Deprecate an AMI, Enhanced networking; EC2 EbsBlockDevice, VolumeSize; names of "
        "the EKS optimized AMIs; aws/containers-roadmap#2296; Kubernetes, Version Skew Policy"
    )

    def subjects(self, context: Context) -> Subjects[str]:
        image_id = context.cluster.image.image_id
        if image_id is not None:
            yield ("image", "image_id"), image_id

    def needs(self, image_id: str) -> Facts:
        return (MachineImage(image_id),)

    def check(self, image_id: str, context: Context, facts: FactValues) -> Results:
        image = facts[MachineImage(image_id)]
        if image is None:
            yield Fail(
                message=f"the image {image_id} does not exist in {context.region} for this "
                "account",
                requested=image_id,
                where=context.region,
                hint="images are regional; an image of another account must be shared with this "
                "account",
            )
            return
        if image.state != "available":
            yield Fail(message=f"{image.id} is {image.state}", where=image.id)
        yield from _deprecated(context, image)
        if image.enhanced_networking is False:
            yield Fail(
                message=f"{image.id} does not support ENA, which every instance type of the last "
                "years requires",
                where=image.id,
                hint="register the image with `--ena-support`, or build it from an image of the "
                "platform",
            )
        if context.platform.managed_node_groups:
            yield from _root_volume(image)
            yield from _eks(context, image)
        yield from _size(context, image)
        if context.platform.provider_stack:
            yield from _parallelcluster(context, image)
        for name, path in instance_types(context).items():
            instance = context.catalog.instance(name)
            if instance is None or not isinstance(instance.architecture, Known):
                yield Unknown(message=f"no source states the architecture of {name}", path=path)
            elif image.architecture and instance.architecture.value != image.architecture:
                yield Fail(
                    message=f"{image.id} is for {image.architecture}, {name} is "
                    f"{instance.architecture.value}",
                    path=path,
                    requested=instance.architecture.value,
                    limit=image.architecture,
                    where=image.id,
                )


def _deprecated(context: Context, image: Image) -> Results:
    """A deprecated image can be used by its id until its owner deregisters it."""
    if image.deprecation_time is None:
        return
    day = dt.date.fromisoformat(image.deprecation_time[:10])
    start = context.cluster.run.start if context.cluster.run is not None else None
    if day <= (start or context.today):
        yield Fail(
            message=f"the owner of {image.id} deprecates it on {day}: nodes cannot be replaced "
            "once it is deregistered",
            severity="warning",
            where=image.id,
            hint="copy the image into this account, or build one from the newest image of the "
            "platform",
        )


def _parallelcluster(context: Context, image: Image) -> Results:
    """Tags that `pcluster build-image` writes; those of another owner cannot be read."""
    settings = context.cluster.parallelcluster
    official = _OFFICIAL.match(image.name)
    if official is not None and official.group(1) != settings.version:
        yield Fail(
            message=f"{image.name} is for version {official.group(1)}, the spec has "
            f"{settings.version}: the configuration of nodes fails",
            path=("parallelcluster", "version"),
            requested=settings.version,
            limit=official.group(1),
            where=image.id,
        )
    elif (
        official is None and image.owner == context.cluster.account and not _TAGS & set(image.tags)
    ):
        yield Fail(
            message=f"{image.id} has none of the tags of images for ParallelCluster: if "
            "`pcluster build-image` did not build it, no node is configured",
            severity="warning",
            where=image.id,
            hint=f"build it with `pcluster build-image` of {settings.version}, not from an "
            "instance of a cluster; a copy needs the tag parallelcluster:version",
        )
    for tag, wanted, key in (
        ("parallelcluster:version", settings.version, "version"),
        ("parallelcluster:os", settings.os, "os"),
    ):
        built_for = image.tags.get(tag)
        if built_for is not None and built_for != wanted:
            yield Fail(
                message=f"{image.id} was built for {tag.partition(':')[2]} {built_for}, the spec "
                f"has {wanted}: the configuration of nodes fails",
                path=("parallelcluster", key),
                requested=wanted,
                limit=built_for,
                where=image.id,
                hint=f"build the image with `pcluster build-image` of {settings.version}, or "
                f"`{key}: {built_for}`",
            )


def _eks(context: Context, image: Image) -> Results:
    """What the name of an image of AWS says; the operating system of another is not known."""
    version = context.cluster.kubernetes.version
    old = _EKS_AL2.match(image.name)
    if old is not None:
        yield Fail(
            message=f"{image.name} has Amazon Linux 2, and the user data of the nodes is for "
            "nodeadm of Amazon Linux 2023: no node joins the cluster",
            requested=image.name,
            where=image.id,
            hint=f"an image amazon-eks-node-al2023-...-{version}-v..., or one built from it",
        )
        return
    found = _EKS_AL2023.match(image.name)
    if found is None:
        return
    variant, built_for = found.groups()
    if _number(built_for) > _number(version):
        yield Fail(
            message=f"{image.name} has the kubelet of {built_for}, newer than the control plane "
            f"with {version}, which Kubernetes does not support",
            path=("kubernetes", "version"),
            requested=version,
            limit=built_for,
            where=image.id,
        )
    for name, path in instance_types(context).items():
        family = accelerators.family(name, context.catalog)
        if family not in ("none", variant):
            yield Fail(
                message=f"{image.name} is the variant {variant}, without the driver of the "
                f"accelerators of {name}",
                path=path,
                requested=family,
                limit=variant,
                where=image.id,
                hint=f"the variant {family} of the image",
            )


def _number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def _root_volume(image: Image) -> Results:
    """The launch template configures the root volume by its device name."""
    if image.root_device is not None and image.root_device != ROOT_DEVICE:
        yield Fail(
            message=f"the root volume of {image.id} is {image.root_device}; the launch template "
            f"configures {ROOT_DEVICE}, which would be a second volume",
            requested=image.root_device,
            limit=ROOT_DEVICE,
            where=image.id,
            hint="build the image from the EKS optimized AMI for Amazon Linux 2023",
        )


def _size(context: Context, image: Image) -> Results:
    """EC2 starts no instance whose root volume is smaller than the image's snapshot."""
    for path, size_gib in _volumes(context):
        if (
            size_gib is not None
            and image.root_volume_gib is not None
            and image.root_volume_gib > size_gib
        ):
            yield Fail(
                message=f"{image.id} has a root volume of {image.root_volume_gib} GiB, and nodes "
                f"have one of {size_gib}",
                path=path,
                requested=size_gib,
                limit=image.root_volume_gib,
                where=image.id,
            )


def _volumes(context: Context) -> Iterator[tuple[tuple[str, str], int | None]]:
    """Sizes that the spec states; without one, the platform takes the image's."""
    cluster = context.cluster
    if context.platform.managed_node_groups:
        yield ("kubernetes", "node_volume_gib"), cluster.kubernetes.node_volume_gib
    if context.platform.provider_stack:
        settings = cluster.parallelcluster
        yield ("parallelcluster", "root_volume_gib"), settings.root_volume_gib
        yield ("parallelcluster", "head_node_root_volume_gib"), settings.head_node_root_volume_gib
    if "pcs" in context.platform.sections:
        yield ("pcs", "root_volume_gib"), cluster.pcs.root_volume_gib
