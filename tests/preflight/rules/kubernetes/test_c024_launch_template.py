"""Tests of CW-C024."""

from __future__ import annotations

from tests.preflight.harness import Harness
from tests.preflight.rules.support.kubernetes import EKS, HYPERPOD, WORKERS


def test_unsourced_interfaces_are_an_error(rule: Harness) -> None:
    rule.fails(
        "CW-C024",
        {**EKS, "compute": [{**WORKERS, "instance_type": "p6e-gb200.36xlarge"}]},
        path="compute[0].instance_type",
        message="the network interfaces of p6e-gb200.36xlarge are unknown",
        severity="error",
    )
    rule.passes("CW-C024", EKS)
    rule.passes("CW-C024", HYPERPOD, tested=False)
