"""Tests of CW-I017."""

from __future__ import annotations

import re

from clusterwright.platforms import known_faults
from tests.preflight.harness import Harness
from tests.preflight.rules.support.platforms import OLD_IMAGE, PARALLELCLUSTER_WHOLE


def test_release_with_a_published_fault_is_reported(rule: Harness) -> None:
    rule.fails(
        "CW-I017",
        {"image": OLD_IMAGE},
        path="image",
        message="auto-resume does not work with GPUs configured in Slurm (GRES) "
        "(awslabs/awsome-distributed-ai#197)",
        severity="warning",
    )
    rule.passes("CW-I017", {"image": {**OLD_IMAGE, "released": "2024-08-01"}})
    # Specs without auto-resume, or without GPU counts, are not affected.
    rule.passes("CW-I017", {"image": OLD_IMAGE, "resilience.node_recovery": "none"})
    rule.passes("CW-I017", {"image": OLD_IMAGE, "compute.1.instance_type": "trn1.32xlarge"})
    rule.passes("CW-I017", PARALLELCLUSTER_WHOLE)
    rule.passes("CW-I017", tested=False)
    undated = {"image": {"image_id": "ami-0123456789abcdef0"}}
    said = rule.fails(
        "CW-I017",
        undated,
        path="image",
        message="ami-0123456789abcdef0 is not stated; issues until 2024-07-31: auto-resume",
        severity="warning",
    )
    assert "the HyperPod image that yours is based on" in str(said.hint)
    released = {"image": {"release_version": "1.2.3"}}
    said = rule.fails(
        "CW-I017", released, path="image", message="of the image 1.2.3 is not stated"
    )
    assert "from HyperPod's release notes" in str(said.hint)
    rule.passes("CW-I017", {**undated, "resilience.node_recovery": "none"})


def test_every_published_fault_affects_a_release_and_not_its_successor() -> None:
    """No default release has an unreported fault."""
    charts = [fault for faults in known_faults.CHARTS.values() for fault in faults]
    for fault in (*known_faults.PARALLELCLUSTER, *known_faults.HYPERPOD_IMAGES, *charts):
        assert fault.has(fault.first)
        assert re.fullmatch(r"[\w.-]+/[\w.-]+#\d+", fault.thread)
        if fault.last is None:
            continue
        assert fault.first <= fault.last
        assert fault.has(fault.last)
        assert not fault.has((*fault.last[:-1], fault.last[-1] + 1))
    threads = [fault.thread for fault in known_faults.PARALLELCLUSTER]
    assert len(set(threads)) == len(threads)
