"""When things begin."""

from __future__ import annotations

import datetime as dt

from clusterwright.preflight.rule import Context


def run_begin(context: Context) -> dt.datetime:
    """The earliest moment at which the run can begin: today, or the day that the spec gives."""
    run = context.cluster.run
    day = max(context.today, run.start) if run is not None and run.start else context.today
    return dt.datetime.combine(day, dt.time(), dt.UTC)
