"""Quotas of a planned cluster."""

from __future__ import annotations

from clusterwright.sizing.report_types import PlanReport


def test_quotas_are_for_the_chosen_type_with_spares(east: PlanReport) -> None:
    assert east.failures is not None
    wanted = east.plan.chosen.nodes + east.failures.spares
    by_code = {quota.code: quota for quota in east.quotas}
    assert by_code["L-8762A75F"].wanted == wanted
    assert by_code["L-2CE978FC"].wanted == wanted + 2
    assert by_code["L-2CE978FC"].default == 20
