"""Tests of CW-L009."""

from __future__ import annotations

from tests.preflight.harness import Harness


def test_auto_resume_with_a_custom_slurm_conf_is_reported(rule: Harness) -> None:
    scripted = {"slurm.configuration": "scripted"}
    rule.fails(
        "CW-L009",
        scripted,
        path="slurm.configuration",
        message="TaskPlugin=task/cgroup,task/affinity and PrologFlags=Contain",
        severity="warning",
    )
    rule.passes("CW-L009")
    rule.passes("CW-L009", {**scripted, "resilience.node_recovery": "none"}, tested=False)
