"""Log groups that the stacks make are not there already."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from clusterwright.platforms.derived_names import log_groups
from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.deployment import LogGroups
from clusterwright.preflight.facts.fact import Fact, FactValues
from clusterwright.preflight.rule import Subject, Verdict
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

    def subjects(self, context: Context) -> Iterable[Subject[str]]:
        for name, _ in log_groups(context.cluster):
            yield Subject(HERE, name)

    def needs(self, subject: Subject[str], context: Context) -> Iterable[Fact[Any]]:
        return (LogGroups(_prefix(subject.value, context)), own_stacks(context))

    def check(
        self, subject: Subject[str], context: Context, facts: FactValues
    ) -> Iterator[Verdict]:
        name = subject.value
        there = facts[LogGroups(_prefix(name, context))]
        if name in there and not facts[own_stacks(context)].has("AWS::Logs::LogGroup", name):
            hint = f"`aws logs delete-log-group --log-group-name {name}`, if nobody reads it"
            yield taken("a log group", subject, context, hint=hint)


def _prefix(name: str, context: Context) -> str:
    """One question for all groups of our own, and one for each other."""
    ours = f"/clusterwright/{context.cluster.environment}/"
    return ours if name.startswith(ours) else name


RULE = LogGroupNames()
