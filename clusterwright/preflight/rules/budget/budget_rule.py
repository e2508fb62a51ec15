"""The base class of the budget rules: a budget gate of the cost estimate as a result."""

from __future__ import annotations

from typing import ClassVar

from clusterwright.cluster_spec.problems import Path, path_text
from clusterwright.cost.bill import Gate
from clusterwright.cost.budget import gates
from clusterwright.preflight.rule import Context, Fail, Results, Rule, Subjects, Unknown


class BudgetRule(Rule[Gate]):
    """A rule about the limit at `budget_path` of the spec."""

    budget_path: ClassVar[Path]
    prevents = "costs without approval"
    source = "the spec's budget; prices as `clusterwright cost` lists them"

    def subjects(self, context: Context) -> Subjects[Gate]:
        for gate in gates(context.spec, context.bill):
            if gate.path == path_text(self.budget_path):
                yield self.budget_path, gate

    def check(self, gate: Gate) -> Results:
        hint = "`clusterwright cost` lists the items"
        if gate.status == "fail":
            yield Fail(
                message=gate.message,
                requested=None if gate.known_usd is None else float(round(gate.known_usd, 2)),
                limit=float(gate.limit_usd),
                where="USD",
                hint=hint,
            )
        elif gate.status == "unknown":
            yield Unknown(
                message=gate.message,
                hint=f"{hint}; set rates and usage in prices.yaml next to the spec",
            )
