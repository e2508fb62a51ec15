"""A month costs no more than the budget says."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from clusterwright.cost.bill import Gate
from clusterwright.cost.budget import MONTHLY, gates
from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.fact import FactValues
from clusterwright.preflight.rule import Fail, Rule, Subject, Unsure, Verdict
from clusterwright.spec.problems import path_text


class MonthlyBudget(Rule[Gate]):
    id = "CW-B001"
    title = "A month costs no more than its budget"
    severity = "error"
    scope = "offline"
    prevents = "a bill that nobody approved"
    source = "the spec's budget; prices as `clusterwright cost` lists them"

    def subjects(self, context: Context) -> Iterable[Subject[Gate]]:
        for gate in gates(context.spec, context.bill):
            if gate.path == path_text(MONTHLY):
                yield Subject(MONTHLY, gate)

    def check(
        self, subject: Subject[Gate], context: Context, facts: FactValues
    ) -> Iterator[Verdict]:
        del context, facts
        gate = subject.value
        hint = "`clusterwright cost` has the lines"
        if gate.status == "fail":
            yield Fail(
                message=gate.message,
                requested=None if gate.known_usd is None else float(round(gate.known_usd, 2)),
                limit=float(gate.limit_usd),
                where="USD",
                hint=hint,
            )
        elif gate.status == "unknown":
            yield Unsure(
                message=gate.message,
                hint=f"{hint}; state rates and use in prices.yaml beside the spec",
            )


RULE = MonthlyBudget()
