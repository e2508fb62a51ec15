"""Container images in Amazon ECR exist."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from clusterwright.preflight.facts.references import EcrImage
from clusterwright.preflight.rule import Context, Facts, FactValues, Fail, Results, Rule, Subjects
from clusterwright.preflight.rules.images.container_images import container_images

_ECR: Final = re.compile(
    r"(?P<account>\d{12})\.dkr\.ecr\.(?P<region>[a-z0-9-]+)\.[a-z.]+/"
    r"(?P<repository>[^@]+)@(?P<digest>sha256:[0-9a-f]{64})"
)


@dataclass(frozen=True)
class _Image:
    name: str
    fact: EcrImage


class EcrImages(Rule[_Image]):
    id = "CW-I027"
    prevents = "pods that stay in ImagePullBackOff on reserved accelerators: `not found`"
    source = "ECR DescribeImages; Kubernetes documentation, Images: ImagePullBackOff"

    def subjects(self, context: Context) -> Subjects[_Image]:
        for path, name in container_images(context.cluster):
            match = _ECR.fullmatch(name)
            if match is not None:
                yield path, _Image(name, EcrImage(**match.groupdict()))

    def needs(self, image: _Image) -> Facts:
        return (image.fact,)

    def check(self, image: _Image, facts: FactValues) -> Results:
        if facts[image.fact] is not None:
            return
        where = image.fact
        yield Fail(
            message=f"{where.repository} in the registry of {where.account} in {where.region} "
            f"has no image {where.digest[:19]}...",
            requested=image.name,
            where=where.region,
            hint=f"`aws ecr describe-images --registry-id {where.account} --repository-name "
            f"{where.repository} --region {where.region}` lists the digests; a lifecycle policy "
            "may have deleted it",
        )
