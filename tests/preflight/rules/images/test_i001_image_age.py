"""Tests of CW-I001."""

from __future__ import annotations

from tests.preflight.harness import Harness
from tests.preflight.rules.support.settings import RDS


def test_unknown_image_age_is_a_warning_with_rds(rule: Harness) -> None:
    rule.fails(
        "CW-I001",
        RDS,
        path="slurm.accounting.kind",
        message="the image is not pinned",
        severity="warning",
    )
    rule.fails(
        "CW-I001",
        {**RDS, "image": {"release_version": "1.2.3"}},
        path="image",
        message="the spec does not state the release date of 1.2.3",
    )
    dated = {"release_version": "1.2.3", "released": "2026-09-17"}
    rule.passes("CW-I001", {**RDS, "image": dated})
    rule.passes("CW-I001", tested=False)
