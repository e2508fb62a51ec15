"""The custom image exists and matches the instances."""

from __future__ import annotations

from clusterwright.aws.ec2.images import Image
from clusterwright.catalog import Known
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


class CustomImage(Rule[str]):
    id = "CW-I014"
    prevents = (
        "CreateCluster fails, or instances do not boot: the image is for another architecture"
    )
    source = (
        "EC2 DescribeImages; aws/aws-parallelcluster, InstanceTypeBaseAMICompatible; EC2 user "
        "guide, device names for volumes"
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
        if context.platform.managed_node_groups:
            yield from _root_volume(context, image)
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


def _root_volume(context: Context, image: Image) -> Results:
    """The launch template sets encryption and size of the root volume by its device name."""
    if image.root_device is not None and image.root_device != ROOT_DEVICE:
        yield Fail(
            message=f"the root volume of {image.id} is {image.root_device}; the launch template "
            f"configures {ROOT_DEVICE}, which would be a second volume",
            requested=image.root_device,
            limit=ROOT_DEVICE,
            where=image.id,
            hint="build the image from the EKS optimized AMI for Amazon Linux 2023",
        )
    size_gib = context.cluster.kubernetes.node_volume_gib
    if image.root_volume_gib is not None and image.root_volume_gib > size_gib:
        yield Fail(
            message=f"{image.id} has a root volume of {image.root_volume_gib} GiB, and nodes "
            f"have one of {size_gib}",
            path=("kubernetes", "node_volume_gib"),
            requested=size_gib,
            limit=image.root_volume_gib,
            where=image.id,
        )
