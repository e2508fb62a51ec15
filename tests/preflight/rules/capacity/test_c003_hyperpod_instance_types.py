"""Tests of CW-C003."""

from __future__ import annotations

from tests.preflight.harness import Harness


def test_unsupported_hyperpod_type_is_reported(rule: Harness) -> None:
    rule.fails(
        "CW-C003",
        {"compute.1.instance_type": "trn1.2xlarge"},
        path="compute[1].instance_type",
        message="HyperPod does not support ml.trn1.2xlarge",
    )
    rule.passes("CW-C003")
