"""Tests of CW-L001."""

from __future__ import annotations

from tests.preflight.harness import Harness
from tests.preflight.rules.support.settings import partitions, two_groups


def test_different_accelerators_in_a_partition_are_reported(rule: Harness) -> None:
    mixed = {**two_groups("trn1.32xlarge"), **partitions(["workers", "more"])}
    rule.fails(
        "CW-L001",
        mixed,
        path="slurm.partitions[0].groups",
        message="the partition `p0` mixes p5.48xlarge, trn1.32xlarge",
        severity="error",
    )
    models = {**two_groups("p5en.48xlarge"), **partitions(["workers", "more"])}
    rule.fails(
        "CW-L001",
        models,
        path="slurm.partitions[0].groups",
        message="jobs run at the speed of the slowest",
        severity="warning",
    )
    apart = {**two_groups("trn1.32xlarge"), **partitions(["workers"], ["more"])}
    rule.passes("CW-L001", apart)
