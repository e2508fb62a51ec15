"""Nodes in a closed network pull images from Amazon ECR of their Region."""

from __future__ import annotations

import re

from clusterwright.jobs.rule import Fail, ManifestRule, Manifests, Results

_TEMPLATE = re.compile(r"[^:@]*[A-Z]")
"""Names of images have no capital letters: a script replaces them."""
_ECR = re.compile(r"\d{12}\.dkr[.-]ecr(?:-fips)?\.([a-z0-9-]+)\.(?:amazonaws\.com|on\.aws)\S*/")


class ManifestImages(ManifestRule):
    id = "CW-J089"
    severity = "error"
    prevents = "ErrImagePull after a timeout, with the nodes paid for"
    source = (
        "`network.egress: closed` of the spec: no route to the internet; Amazon ECR user guide, "
        "Interface VPC endpoints: repositories of the same Region, no pull-through of others"
    )

    def skipped(self, manifests: Manifests) -> str | None:
        if manifests.cluster.network.existing is not None:
            return "network.existing: the spec does not say whether it reaches the internet"
        return None

    def check(self, manifests: Manifests) -> Results:
        cluster = manifests.cluster
        if cluster.network.egress != "closed":
            return
        for pod in manifests.pods:
            for container in pod.all_containers:
                image = container.item.get("image")
                if image is None or image.text is None or _TEMPLATE.match(image.text):
                    continue
                match = _ECR.match(image.text)
                region = match.group(1) if match is not None else None
                if region == cluster.region:
                    continue
                where = f"in {region}" if region is not None else "not in Amazon ECR"
                name = image.text.partition("@")[0]
                yield Fail(
                    message=f"{name} is {where}, and the network is closed",
                    at=image,
                    hint=f"push it to a repository in {cluster.region}",
                )
