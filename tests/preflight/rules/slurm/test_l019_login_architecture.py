"""Tests of CW-L019."""

from __future__ import annotations

from tests.preflight.harness import Harness
from tests.preflight.rules.support.platforms import EKS
from tests.preflight.rules.support.settings import LOGIN

ARM = {"compute.2": {**LOGIN, "instance_type": "m7g.4xlarge"}}


def test_login_nodes_of_another_architecture_are_reported(rule: Harness) -> None:
    rule.fails(
        "CW-L019",
        ARM,
        path="compute[2].instance_type",
        message="users log in to login, which is arm64, and every compute node is x86_64",
        severity="warning",
    )
    rule.passes("CW-L019", {"compute.2": LOGIN})
    # Some compute nodes run what is built there.
    rule.passes("CW-L019", {**ARM, "compute.1.instance_type": "m7g.8xlarge"})


def test_users_log_in_to_the_controller_without_login_nodes(rule: Harness) -> None:
    arm = {"compute.0.instance_type": "m7g.8xlarge"}
    rule.fails("CW-L019", arm, path="compute[0].instance_type", message="log in to controller")
    rule.passes("CW-L019", {**arm, "compute.2": LOGIN})


def test_pods_bring_their_images(rule: Harness) -> None:
    rule.passes("CW-L019", EKS, tested=False)
