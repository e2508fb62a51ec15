"""Tests of slurm."""

from __future__ import annotations

import pytest
from clusterwright_common.probe import ProbeError
from clusterwright_metrics.sources import slurm
from clusterwright_metrics.text import Metrics

from tests.nodes.metrics.fake_node import (
    SDIAG,
    SINFO,
    SQUEUE,
    Machine,
    at,
)


def test_slurm_metrics_are_read_on_the_controller(machine: Machine) -> None:
    machine.says("sinfo", SINFO)
    machine.says("squeue", SQUEUE)
    machine.says("sdiag", SDIAG)
    found = machine.samples(slurm)
    assert at(found, "slurm_nodes", partition="train", state="idle") == 1
    assert at(found, "slurm_nodes", partition="debug", state="idle") == 1
    assert at(found, "slurm_nodes", partition="train", state="mixed") == 1
    assert at(found, "slurm_nodes", partition="train", state="down") == 1
    # The devices of a node in two partitions are counted once.
    assert at(found, "slurm_devices", resource="gpu") == 24
    assert at(found, "slurm_devices_allocated", resource="gpu") == 5
    assert at(found, "slurm_devices", resource="neuron") == 2
    assert at(found, "slurm_nodes_drained_by_health") == 1
    assert at(found, "slurm_jobs", partition="train", state="running") == 2
    assert at(found, "slurm_jobs", partition="train", state="node_fail") == 1
    assert at(found, "slurm_jobs_multi_node", partition="train") == 1
    assert at(found, "slurm_scheduler_dbd_queue_size") == 2
    assert at(found, "slurm_scheduler_last_cycle_seconds", scheduler="main") == 0.000129
    assert at(found, "slurm_scheduler_last_cycle_seconds", scheduler="backfill") == 0.002


def test_nodes_of_one_job_have_its_id(machine: Machine) -> None:
    machine.says("sinfo", SINFO)
    machine.says("squeue", SQUEUE)
    machine.says("sdiag", SDIAG)
    found = machine.samples(slurm)
    # Two jobs share ip-10-0-0-34; the job that failed holds no node.
    jobs = {labels: value for (name, labels), value in found.items() if name == "slurm_node_job"}
    assert {
        (dict(labels)["slurm_node"], dict(labels)["job_id"]): n for labels, n in jobs.items()
    } == {
        ("ip-10-0-0-31", "7"): 1,
        ("ip-10-0-0-32", "7"): 1,
        ("ip-10-0-0-34", ""): 2,
    }


def test_a_controller_that_is_down_is_reported(machine: Machine) -> None:
    machine.command("sinfo", "echo 'Unable to contact slurm controller' >&2; exit 1")
    with pytest.raises(ProbeError, match="Unable to contact"):
        slurm.collect(machine.probe(), Metrics())
