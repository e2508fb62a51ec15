"""Log groups that the stacks make are not there already."""

from __future__ import annotations

from clusterwright.platforms.derived_names import log_groups
from clusterwright.preflight.facts.deployment import LogGroups
from clusterwright.preflight.rule import Context, Facts, FactValues, Results, Subject, Subjects
from clusterwright.preflight.rules.names.name_conflicts import (
    HERE,
    TakenNameRule,
    own_stacks,
    taken,
)


class LogGroupNames(TakenNameRule):
    id = "CW-E003"
    title = "Names of the log groups are free"
    prevents = (
        "CreateLogGroup fails with ResourceAlreadyExistsException, as after a deletion that kept "
        "a group, or where a service made it first"
    )
    source = "CloudWatch Logs CreateLogGroup"

    def subjects(self, context: Context) -> Subjects[str]:
        for name, _ in log_groups(context.cluster):
            yield Subject(HERE, name)

    def needs(self, name: str, context: Context) -> Facts:
        return (LogGroups(_prefix(name, context)), own_stacks(context))

    def check(self, name: str, context: Context, facts: FactValues) -> Results:
        there = facts[LogGroups(_prefix(name, context))]
        if name in there and not facts[own_stacks(context)].has("AWS::Logs::LogGroup", name):
            hint = f"`aws logs delete-log-group --log-group-name {name}`, if nobody reads it"
            yield taken("a log group", name, context, hint=hint)


def _prefix(name: str, context: Context) -> str:
    """One question for all groups of our own, and one for each other."""
    ours = f"/clusterwright/{context.cluster.environment}/"
    return ours if name.startswith(ours) else name


RULE = LogGroupNames()
