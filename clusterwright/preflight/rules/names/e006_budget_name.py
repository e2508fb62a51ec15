"""The name of the month's budget is free."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from clusterwright.platforms.derived_names import monthly_budget
from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.deployment import BudgetNamed
from clusterwright.preflight.facts.fact import Fact, FactValues
from clusterwright.preflight.rule import Subject, Verdict
from clusterwright.preflight.rules.names.name_conflicts import (
    HERE,
    TakenNameRule,
    own_stacks,
    taken,
)


class BudgetName(TakenNameRule):
    id = "CW-E006"
    title = "The name of the month's budget is free"
    prevents = (
        "CreateBudget fails with DuplicateRecordException: budgets belong to the account, so the "
        "same environment in another region has it"
    )
    source = "AWS Budgets CreateBudget"

    def subjects(self, context: Context) -> Iterable[Subject[str]]:
        name = monthly_budget(context.cluster)
        if name is not None:
            yield Subject(HERE, name)

    def needs(self, subject: Subject[str], context: Context) -> Iterable[Fact[Any]]:
        return (BudgetNamed(context.cluster.account, subject.value), own_stacks(context))

    def check(
        self, subject: Subject[str], context: Context, facts: FactValues
    ) -> Iterator[Verdict]:
        if not facts[BudgetNamed(context.cluster.account, subject.value)]:
            return
        if not facts[own_stacks(context)].has("AWS::Budgets::Budget", subject.value):
            hint = "delete it, or give this environment another name"
            yield taken("a budget", subject, context, hint=hint)


RULE = BudgetName()
