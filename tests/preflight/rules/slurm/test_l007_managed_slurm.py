"""Tests of CW-L007."""

from __future__ import annotations

from tests.preflight.harness import Harness


def test_settings_of_the_managed_slurm_conf_are_reported(rule: Harness) -> None:
    rule.passes("CW-L007", {"compute.1.spare_count": 1}, tested=False)  # a reservation keeps it
    rule.fails(
        "CW-L007",
        {"slurm.qos": [{"name": "urgent", "priority": 5}]},
        path="slurm.qos",
        message="whether Slurm enforces them depends on HyperPod's slurm.conf, which is not known",
        severity="info",
    )
    rule.fails(
        "CW-L007",
        {"slurm.accounts": [{"name": "research", "max_nodes": 5}]},
        path="slurm.accounts",
        message="priorities and limits of accounts",
        severity="info",
    )
    rule.fails(
        "CW-L007",
        {"slurm.restrict_ssh_to_jobs": True},
        path="slurm.restrict_ssh_to_jobs",
        message="not known; without it a node fails at boot",
        severity="warning",
    )
    scripted = {
        "slurm": {"configuration": "scripted", "qos": [{"name": "urgent", "priority": 5}]},
        "compute.1.spare_count": 1,
    }
    rule.passes("CW-L007", scripted, tested=False)
    rule.passes("CW-L007", tested=False)
