"""Plan reports of one goal, for the tests of sizing."""

from __future__ import annotations

import datetime as dt
from typing import Any

from clusterwright.catalog import load_catalog
from clusterwright.sizing.goal import parse
from clusterwright.sizing.report import Questions, build_report
from clusterwright.sizing.report_types import PlanReport

DAY = dt.date(2026, 11, 20)
GOAL = {"model": "llama3-70b", "tokens": "15T", "deadline": "90d"}


def plan_report(
    questions: Questions | None = None, rates: object = None, **goal: Any
) -> PlanReport:
    """The report of `GOAL`, with changes of the goal, user rates, and questions."""
    catalog = load_catalog(prices_override=rates)
    return build_report(parse({**GOAL, **goal}), catalog, today=DAY, questions=questions)
