"""The platform accepts a pinned image release."""

from __future__ import annotations

from clusterwright.preflight.rule import Context, Fail, Results, Rule, Subjects


class ImageRelease(Rule[str | None]):
    id = "CW-I006"
    severity = "warning"
    prevents = "CreateCluster may refuse ImageReleaseVersion for a cluster with Slurm"
    source = (
        "CloudFormation's schema of AWS::SageMaker::Cluster (2026-10-20): supported only for "
        "EKS-orchestrated clusters; the API's model (botocore 1.44.5) has no such restriction"
    )

    def subjects(self, context: Context) -> Subjects[str | None]:
        image = context.cluster.image
        pinned = image.release_version or image.image_id
        if pinned and context.on_hyperpod and context.cluster.uses_slurm:
            yield ("image", "release_version"), image.release_version

    def check(self, release: str | None) -> Results:
        if release is not None:
            yield Fail(
                message=f"release {release} is pinned on a cluster with Slurm: "
                "CloudFormation's schema supports that for EKS only, the API's model for both",
                hint="if CreateCluster refuses it, pin an image with image.image_id instead",
            )
