"""The run begins today or later."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator

from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.fact import FactValues
from clusterwright.preflight.rule import Fail, Rule, Subject, Verdict


class RunStart(Rule[dt.date]):
    id = "CW-Q900"
    title = "The run begins today or later"
    severity = "info"
    scope = "offline"
    prevents = "dates to file quota requests by that nobody can keep"
    source = "the spec itself: `--request-quotas` dates requests back from this day"

    def subjects(self, context: Context) -> Iterable[Subject[dt.date]]:
        run = context.cluster.run
        if run is not None and run.start is not None:
            yield Subject(("run", "start"), run.start)

    def check(
        self, subject: Subject[dt.date], context: Context, facts: FactValues
    ) -> Iterator[Verdict]:
        del facts
        if subject.value < context.today:
            yield Fail(
                message=f"the run began on {subject.value}, before today ({context.today})",
                requested=str(subject.value),
                limit=str(context.today),
                hint="set the day on which the next run begins, or leave it out",
            )


RULE = RunStart()
