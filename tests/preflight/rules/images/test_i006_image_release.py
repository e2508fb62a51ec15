"""Tests of CW-I006."""

from __future__ import annotations

from tests.preflight.harness import Harness


def test_pinned_release_is_a_warning_with_slurm(
    rule: Harness,
) -> None:
    rule.fails(
        "CW-I006",
        {"image": {"release_version": "1.2.3"}},
        path="image.release_version",
        message="release 1.2.3 is pinned on a cluster with Slurm",
        severity="warning",
    )
    rule.passes("CW-I006", {"image": {"image_id": "ami-0123456789abcdef0"}})
    rule.passes("CW-I006", tested=False)
