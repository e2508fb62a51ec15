"""Only one instance starts with an image that no instance of the cluster has run."""

from __future__ import annotations

from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.platforms.pcs.groups import counts
from clusterwright.preflight.facts.pcs import PcsImages
from clusterwright.preflight.rule import Context, Facts, FactValues, Fail, Results, Rule, Subjects


class UnprovenImage(Rule[ComputeGroup]):
    id = "CW-I031"
    severity = "warning"
    prevents = (
        "the agent of PCS fails on an own image, and PCS replaces every instance of the group "
        "again and again, each of which is billed"
    )
    source = (
        "aws-samples/aws-hpc-recipes #63: an own image ends in pcs_bootstrap_init.sh; PCS user "
        "guide, custom AMIs: agent and Slurm must fit the cluster"
    )

    def subjects(self, context: Context) -> Subjects[ComputeGroup]:
        if not context.platform.service_runs_controller or context.cluster.image.image_id is None:
            return
        for index, group in enumerate(context.cluster.compute):
            if counts(group).minimum > 1:
                yield ("compute", index, "count"), group

    def needs(self, context: Context) -> Facts:
        return (PcsImages(context.cluster.environment),)

    def check(self, group: ComputeGroup, context: Context, facts: FactValues) -> Results:
        image_id = context.cluster.image.image_id
        if image_id in (facts[PcsImages(context.cluster.environment)] or ()):
            return
        least = counts(group).minimum
        yield Fail(
            message=f"{least} instances of {group.name} start with {image_id}, which no active "
            "group of the cluster has: if its PCS agent or Slurm does not fit, PCS replaces all "
            "of them again and again",
            requested=least,
            limit=1,
            hint="deploy the group with `count: 1` first, and add the others when that instance "
            "takes jobs",
        )
