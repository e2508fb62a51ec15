"""An image of one's own is there, and made for the instances that boot from it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from clusterwright.catalog import Known
from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.deployment import MachineImage
from clusterwright.preflight.facts.fact import Fact, FactValues
from clusterwright.preflight.groups import wanted_types
from clusterwright.preflight.rule import Fail, Rule, Subject, Unsure, Verdict


class OwnImage(Rule[str]):
    id = "CW-I014"
    title = "The pinned image exists and fits the instances"
    severity = "error"
    scope = "account"
    prevents = "CreateCluster fails, or instances that cannot boot: the image is of another kind"
    source = "EC2 DescribeImages; aws/aws-parallelcluster, InstanceTypeBaseAMICompatible"

    def subjects(self, context: Context) -> Iterable[Subject[str]]:
        image_id = context.cluster.image.image_id
        if image_id is not None:
            yield Subject(("image", "image_id"), image_id)

    def needs(self, subject: Subject[str], context: Context) -> Iterable[Fact[Any]]:
        del context
        return (MachineImage(subject.value),)

    def check(
        self, subject: Subject[str], context: Context, facts: FactValues
    ) -> Iterator[Verdict]:
        image = facts[MachineImage(subject.value)]
        if image is None:
            yield Fail(
                message=f"this account sees no image {subject.value} in {context.region}",
                requested=subject.value,
                where=context.region,
                hint="images are of one region; one of another account must be shared with this",
            )
            return
        if image.state != "available":
            yield Fail(message=f"{image.id} is {image.state}", where=image.id)
        for name, path in wanted_types(context).items():
            instance = context.catalog.instance(name)
            if instance is None or not isinstance(instance.architecture, Known):
                yield Unsure(message=f"for which processors {name} is: no source says", path=path)
            elif image.architecture and instance.architecture.value != image.architecture:
                yield Fail(
                    message=f"{image.id} is for {image.architecture}, {name} is "
                    f"{instance.architecture.value}",
                    path=path,
                    requested=instance.architecture.value,
                    limit=image.architecture,
                    where=image.id,
                )


RULE = OwnImage()
