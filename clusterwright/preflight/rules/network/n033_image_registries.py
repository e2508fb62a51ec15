"""Nodes without internet access can reach the registries of container images."""

from __future__ import annotations

import re

from clusterwright.preflight.rule import Context, Fail, Results, Rule, Subjects
from clusterwright.preflight.rules.images.container_images import container_images


class ImageRegistries(Rule[str]):
    id = "CW-N033"
    prevents = "pods in ImagePullBackOff: the registry cannot be reached from the VPC"
    source = (
        "ECR user guide, Amazon ECR interface VPC endpoints: only private repositories of the "
        "same region"
    )

    def subjects(self, context: Context) -> Subjects[str]:
        network = context.cluster.network
        if network.existing is None and network.egress == "closed":
            yield from container_images(context.cluster)

    def check(self, image: str, context: Context) -> Results:
        registry = image.partition("/")[0]
        if re.fullmatch(rf"\d{{12}}\.dkr\.ecr\.{context.region}\.[a-z.]+", registry):
            return
        yield Fail(
            message=f"network.egress is closed, and {image.partition('@')[0]} is not in Amazon "
            f"ECR in {context.region}",
            requested=registry,
            limit=context.region,
            hint="copy the image to a private repository of that region, or `egress: nat`",
        )
