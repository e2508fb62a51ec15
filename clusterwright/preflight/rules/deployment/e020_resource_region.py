"""CloudFormation knows the cluster's resource types in the region."""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.platforms import resource_regions
from clusterwright.preflight.rule import Context, Fail, Results, Rule, Subjects

_HINTS = {
    "AWS::SageMaker::Cluster": "another region, or platform: parallelcluster, eks or pcs",
    "AWS::SageMaker::ComputeQuota": "omit hyperpod.task_governance: Kueue's queues need none",
    "AWS::S3Express::DirectoryBucket": "omit `directory`, which makes a general purpose bucket",
    "AWS::APS::Workspace": "omit observability.prometheus",
}


class ResourceRegion(Rule[str]):
    id = "CW-E020"
    severity = "warning"
    prevents = (
        "Template format error: Unrecognized resource types, after the stacks before it were paid"
    )
    source = (
        f"{resource_regions.SOURCE}; hashicorp/terraform-provider-awscc#2381: type "
        "'AWS::SageMaker::Cluster' cannot be found"
    )

    def subjects(self, context: Context) -> Subjects[str]:
        yield ("region",), ""
        yield from _types(context)

    def check(self, name: str, context: Context) -> Results:
        if context.region in resource_regions.ABSENT.get(name, ()):
            yield Fail(
                message=f"CloudFormation is not known to have {name} in {context.region}",
                requested=context.region,
                hint=_HINTS[name],
            )


def _types(context: Context) -> Iterator[tuple[tuple[str | int, ...], str]]:
    cluster = context.cluster
    if context.on_hyperpod:
        yield ("platform",), "AWS::SageMaker::Cluster"
        if cluster.hyperpod.task_governance is not None:
            yield ("hyperpod", "task_governance"), "AWS::SageMaker::ComputeQuota"
    for number, bucket in enumerate(cluster.storage.buckets):
        if bucket.create and bucket.directory:
            yield ("storage", "buckets", number), "AWS::S3Express::DirectoryBucket"
    if cluster.observability.prometheus:
        yield ("observability", "prometheus"), "AWS::APS::Workspace"
