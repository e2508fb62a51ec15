"""What job files take from a recorded plan."""

from __future__ import annotations

import pytest

from clusterwright.job_templates.plan import PlanError
from tests.job_templates.made import made_plan


def test_flops_of_a_token_and_the_peak() -> None:
    plan = made_plan(training_flops=4.8e22, tokens=1e12, estimate={"mfu_peak_tflops": 989.4})
    assert (plan.flops_per_token, plan.peak_flops) == (4.8e10, 989.4e12)


@pytest.mark.parametrize("tokens", [None, 0, "many", float("nan")])
def test_flops_are_unknown_without_tokens(tokens: object) -> None:
    assert made_plan(training_flops=4.8e22, tokens=tokens).flops_per_token is None


def test_the_peak_is_unknown_without_an_estimate() -> None:
    assert made_plan(estimate=None).peak_flops is None


@pytest.mark.parametrize("changes", [{"command": "check"}, {"seq_len": None}, {"candidates": []}])
def test_other_documents_are_refused(changes: dict[str, object]) -> None:
    with pytest.raises(PlanError):
        made_plan(**changes)
