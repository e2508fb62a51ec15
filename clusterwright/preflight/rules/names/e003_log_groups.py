"""The names of the log groups are available."""

from __future__ import annotations

from clusterwright.platforms.derived_names import log_groups
from clusterwright.preflight.facts.deployment import LogGroups
from clusterwright.preflight.rule import Context, Facts, FactValues, Results, Subjects
from clusterwright.preflight.rules.names.name_conflicts import (
    HERE,
    NameConflictRule,
    name_conflict,
    own_stacks,
)


class LogGroupNames(NameConflictRule):
    id = "CW-E003"
    prevents = (
        "CreateLogGroup fails with ResourceAlreadyExistsException, for example after a deletion "
        "that retained a group, or when a service created it first"
    )
    source = "CloudWatch Logs CreateLogGroup"

    def subjects(self, context: Context) -> Subjects[str]:
        for name, _ in log_groups(context.cluster):
            yield HERE, name

    def needs(self, name: str, context: Context) -> Facts:
        return (LogGroups(_prefix(name, context)), own_stacks(context))

    def check(self, name: str, context: Context, facts: FactValues) -> Results:
        there = facts[LogGroups(_prefix(name, context))]
        if name in there and not facts[own_stacks(context)].has("AWS::Logs::LogGroup", name):
            hint = f"`aws logs delete-log-group --log-group-name {name}`, if it is not needed"
            yield name_conflict("a log group", name, context, hint=hint)


def _prefix(name: str, context: Context) -> str:
    """One request for all log groups of the environment, and one for each other."""
    ours = f"/clusterwright/{context.cluster.environment}/"
    return ours if name.startswith(ours) else name
