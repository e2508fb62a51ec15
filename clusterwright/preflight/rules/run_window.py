"""Start of the run."""

from __future__ import annotations

import datetime as dt

from clusterwright.preflight.rule import Context


def run_start(context: Context) -> dt.datetime:
    """The earliest start of the run: today, or `run.start`."""
    run = context.cluster.run
    day = max(context.today, run.start) if run is not None and run.start else context.today
    return dt.datetime.combine(day, dt.time(), dt.UTC)
