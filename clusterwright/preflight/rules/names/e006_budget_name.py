"""The name of the month's budget is free."""

from __future__ import annotations

from clusterwright.platforms.derived_names import monthly_budget
from clusterwright.preflight.facts.deployment import BudgetNamed
from clusterwright.preflight.rule import Context, Facts, FactValues, Results, Subject, Subjects
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

    def subjects(self, context: Context) -> Subjects[str]:
        name = monthly_budget(context.cluster)
        if name is not None:
            yield Subject(HERE, name)

    def needs(self, name: str, context: Context) -> Facts:
        return (BudgetNamed(context.cluster.account, name), own_stacks(context))

    def check(self, name: str, context: Context, facts: FactValues) -> Results:
        if not facts[BudgetNamed(context.cluster.account, name)]:
            return
        if not facts[own_stacks(context)].has("AWS::Budgets::Budget", name):
            hint = "delete it, or give this environment another name"
            yield taken("a budget", name, context, hint=hint)


RULE = BudgetName()
