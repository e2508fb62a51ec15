"""Each group has a valid launch template."""

from __future__ import annotations

from clusterwright.platforms.eks import launch_templates
from clusterwright.preflight.rule import Context, Fail, Results, Rule, Subjects


class LaunchTemplate(Rule[str]):
    id = "CW-C024"
    prevents = "nodes that EC2 does not launch, or that have fewer network cards than their type"
    source = "EC2 user guide, Network cards; EKS quotas L-BD136A63 and L-6D54EA21"

    def subjects(self, context: Context) -> Subjects[str]:
        if context.cluster.traits.managed_node_groups:
            yield ("compute",), context.cluster.environment

    def check(self, context: Context) -> Results:
        for problem in launch_templates.problems(context.cluster):
            yield Fail(message=problem.message, path=problem.path, hint=problem.hint)
