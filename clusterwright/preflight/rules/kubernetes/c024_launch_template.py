"""Every group of EKS has a launch template that EC2 takes, and a node group that EKS takes."""

from __future__ import annotations

from clusterwright.platforms.eks import launch_templates
from clusterwright.preflight.rule import Context, Fail, Results, Rule, Subject, Subjects


class LaunchTemplate(Rule[str]):
    id = "CW-C024"
    title = "A launch template can be written for each group"
    scope = "offline"
    prevents = "nodes that EC2 does not launch, or that have fewer cards than their type"
    source = "EC2 user guide, Network cards; EKS quotas L-BD136A63 and L-6D54EA21"

    def subjects(self, context: Context) -> Subjects[str]:
        if context.cluster.traits.launch_templates:
            yield Subject(("compute",), context.cluster.environment)

    def check(self, context: Context) -> Results:
        for problem in launch_templates.problems(context.cluster):
            yield Fail(message=problem.message, path=problem.path, hint=problem.hint)


RULE = LaunchTemplate()
