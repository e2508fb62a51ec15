"""Tests of CW-L008."""

from __future__ import annotations

from tests.preflight.harness import Harness
from tests.preflight.rules.support.settings import LOGIN, PEOPLE


def test_missing_login_nodes_are_reported(rule: Harness) -> None:
    rule.fails(
        "CW-L008",
        PEOPLE,
        path="slurm.users",
        message="1 user logs in on the controller",
        severity="warning",
    )
    two = {"slurm.users": [*PEOPLE["slurm.users"], {"name": "bob", "uid": 20002}]}
    none = {**two, "compute.2": {**LOGIN, "count": 0}}
    rule.fails("CW-L008", none, path="slurm.users", message="2 users log in on the controller")
    # The change of the hint is valid: ParallelCluster requires one architecture.
    for controller, login in (("m5.4xlarge", "m5.4xlarge"), ("m7g.8xlarge", "m7g.4xlarge")):
        found = rule.run("CW-L008", {**two, "compute.0.instance_type": controller})
        assert f"instance_type: {login}, " in str(found.findings[0].hint)
    rule.passes("CW-L008", {**two, "compute.2": LOGIN})
    rule.passes("CW-L008", tested=False)
