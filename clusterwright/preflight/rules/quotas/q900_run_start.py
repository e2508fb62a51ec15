"""The run starts today or later."""

from __future__ import annotations

import datetime as dt

from clusterwright.preflight.rule import Context, Fail, Results, Rule, Subjects


class RunStart(Rule[dt.date]):
    id = "CW-Q900"
    severity = "info"
    prevents = "filing dates for quota requests that are already in the past"
    source = "the spec itself: `--request-quotas` dates requests back from this date"

    def subjects(self, context: Context) -> Subjects[dt.date]:
        run = context.cluster.run
        if run is not None and run.start is not None:
            yield ("run", "start"), run.start

    def check(self, start: dt.date, context: Context) -> Results:
        if start < context.today:
            yield Fail(
                message=f"the run started on {start}, before today ({context.today})",
                requested=str(start),
                limit=str(context.today),
                hint="set the date of the next run, or remove it",
            )
