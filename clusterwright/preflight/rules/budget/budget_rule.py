"""What the budget rules share: the gate that cost has judged, as a verdict."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import ClassVar, Literal

from clusterwright.cluster_spec.problems import Path, path_text
from clusterwright.cost.bill import Gate
from clusterwright.cost.budget import gates
from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.fact import FactValues
from clusterwright.preflight.results import Severity
from clusterwright.preflight.rule import Fail, Rule, Subject, Unsure, Verdict


class BudgetRule(Rule[Gate]):
    """A rule about the limit that stands at `budget_path` of the spec."""

    budget_path: ClassVar[Path]
    severity: ClassVar[Severity] = "error"
    scope: ClassVar[Literal["offline", "account"]] = "offline"
    prevents: ClassVar[str] = "a bill that nobody approved"
    source: ClassVar[str] = "the spec's budget; prices as `clusterwright cost` lists them"

    def subjects(self, context: Context) -> Iterable[Subject[Gate]]:
        for gate in gates(context.spec, context.bill):
            if gate.path == path_text(self.budget_path):
                yield Subject(self.budget_path, gate)

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
