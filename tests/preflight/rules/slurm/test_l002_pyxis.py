"""Tests of CW-L002."""

from __future__ import annotations

from tests.preflight.harness import Harness


def test_pyxis_on_the_image_is_unverified(rule: Harness) -> None:
    rule.fails(
        "CW-L002",
        {"slurm.containers.pyxis": True},
        path="slurm.containers.pyxis",
        message="is not known before a node runs",
        severity="warning",
    )
    rule.fails(
        "CW-L002",
        {"slurm.containers": {"pyxis": True, "install": "mirrored"}},
        path="slurm.containers.pyxis",
        message="whether the image has the dependencies of Enroot's packages, and a compiler",
        severity="warning",
    )
    rule.passes("CW-L002", tested=False)
