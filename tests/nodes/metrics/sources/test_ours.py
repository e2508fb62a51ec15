"""Tests of ours."""

from __future__ import annotations

import json

from clusterwright_metrics.sources import ours

from tests.nodes.metrics.fake_node import (
    Machine,
    at,
)


def test_state_files_of_the_programs_are_read(machine: Machine) -> None:
    machine.file("/var/lib/clusterwright/health.json", '{"findings": ["gpu: 7 of 8"]}')
    machine.file("/var/lib/clusterwright/journal.json", '{"step": "lustre"}')
    machine.file("/var/lib/clusterwright/preload-fsx.json", '{"files_seen": 9, "files_loaded": 4}')
    machine.file("/var/lib/clusterwright/preload-bad.json", "[")
    found = machine.samples(ours)
    assert at(found, "clusterwright_health_findings") == 1
    assert at(found, "clusterwright_health_findings_by_check", check="gpu") == 1
    assert at(found, "clusterwright_node_program_unfinished") == 1
    assert at(found, "clusterwright_preload_files_loaded", file_system="fsx") == 4


def test_name_in_slurm_is_the_host_name(machine: Machine) -> None:
    machine.file("/proc/sys/kernel/hostname", "ip-10-1-0-9.ec2.internal\n")
    machine.says("sinfo", "")
    assert at(machine.samples(ours), "clusterwright_node_info", slurm_node="ip-10-1-0-9") == 1


def test_without_slurm_there_is_no_name(machine: Machine) -> None:
    machine.file("/proc/sys/kernel/hostname", "ip-10-1-0-9\n")
    assert not machine.samples(ours)


RECORD = {
    "boot": "b1",
    "verdicts": [
        {"bus": "0000:b9:00", "code": 79, "action": "replace", "bucket": "restart_bm", "count": 2},
        {"bus": "0000:b9:00", "code": None, "action": "reboot", "bucket": "fatal", "count": 1},
        {"bus": "0000:b9:00", "code": 13},
    ],
}


def test_xid_messages_of_this_boot_are_counted(machine: Machine) -> None:
    machine.file("/proc/sys/kernel/random/boot_id", "b1\n")
    machine.file("/var/lib/clusterwright/xid.json", json.dumps(RECORD))
    found = machine.samples(ours)
    labels = {"bus": "0000:b9:00", "code": "79", "action": "replace", "bucket": "restart_bm"}
    assert at(found, "clusterwright_xid_messages", **labels) == 2
    labels = {"bus": "0000:b9:00", "code": "", "action": "reboot", "bucket": "fatal"}
    assert at(found, "clusterwright_xid_messages", **labels) == 1
    assert len(found) == 2


def test_xid_messages_of_an_earlier_boot_are_not_exported(machine: Machine) -> None:
    machine.file("/proc/sys/kernel/random/boot_id", "b2\n")
    machine.file("/var/lib/clusterwright/xid.json", json.dumps(RECORD))
    assert machine.samples(ours) == {}
