"""Slurm's view, from the output of its commands."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from clusterwright_common.probe import CommandResult
from clusterwright_state import slurm_view
from clusterwright_state.records import SEPARATOR

from tests.nodes.metrics.fake_node import Machine

NODES = """\
NodeName=ip-10-1-0-33 Arch=x86_64 NodeAddr=10.1.0.33 NodeHostName=ip-10-1-0-33 State=IDLE+DRAIN \
Partitions=workers,all BootTime=2026-11-23T06:00:00 SlurmdStartTime=2026-11-23T06:01:00 \
Reason=clusterwright: xid: 79 [root@2026-11-23T07:58:00]
NodeName=ip-10-1-0-34 NodeAddr=10.1.0.34 State=DOWN*+NOT_RESPONDING Partitions=workers \
BootTime=None
"""
TOPOLOGY = """\
SwitchName=leaf-1 Level=0 LinkSpeed=1 Nodes=ip-10-1-0-33
SwitchName=spine-1 Level=1 LinkSpeed=1 Nodes=ip-10-1-0-33,ip-10-1-0-34 Switches=leaf-1
"""
RESERVATIONS = """\
ReservationName=clusterwright_acceptance StartTime=2026-11-23T08:00:00 \
EndTime=2027-11-23T08:00:00 Nodes=ip-10-1-0-33 NodeCnt=1 Flags=MAINT,IGNORE_JOBS State=ACTIVE
"""
CONFIG = """\
Configuration data as of 2026-11-23T08:00:00
AccountingStoragePass   = (null)
AccountingStorageType   = accounting_storage/slurmdbd
BOOT_TIME               = 2026-11-23T06:00:00
SelectType              = select/cons_tres
JwtKey                  = /etc/slurm/jwt.key

Slurmctld(primary) at ip-10-1-0-5 is UP
"""
RESOURCES = """
{"InstanceGroups": [{"Name": "workers", "Instances": [
  {"InstanceId": "i-0aaa", "CustomerIpAddress": "10.1.0.33", "InstanceLabel": {
    "network-node-layer-1": "nn-1", "network-node-layer-2": "nn-2", "network-node-layer-3": "nn-3"
  }}]}]}
"""


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    found = Machine(tmp_path)
    for name, text in {
        "nodes": NODES,
        "topology": TOPOLOGY,
        "reservations": RESERVATIONS,
        "config": CONFIG,
        "partitions": "PartitionName=workers Nodes=ip-10-1-0-[33-34] State=UP\n",
        "hostnames": "ip-10-1-0-33\nip-10-1-0-34\n",
    }.items():
        found.file(f"/said/{name}", text)
    found.command(
        "scontrol",
        f"""case "$*" in
*hostnames*) cat {found.root}/said/hostnames ;;
*--version*) echo slurm 24.11.5 ;;
ping) echo 'Slurmctld(primary) at ip-10-1-0-5 is UP' ;;
*) for last; do :; done; cat {found.root}/said/$last ;;
esac""",
    )
    return found


def test_nodes_have_group_instance_reason_and_switches(machine: Machine) -> None:
    instances = slurm_view.instances_by_address(RESOURCES)
    network = slurm_view.network_by_address(RESOURCES)
    found = slurm_view.nodes(machine.probe(), instances, {"ip-10-1-0-33": "held"}, network)
    assert found == [
        {
            "name": "ip-10-1-0-33",
            "group": "workers",
            "instance_id": "i-0aaa",
            "address": "10.1.0.33",
            "states": ["IDLE", "DRAIN"],
            "reason": "clusterwright: xid: 79",
            "reason_by": "root",
            "reason_at": "2026-11-23T07:58:00Z",
            "partitions": ["workers", "all"],
            "reservation": "held",
            "boot_time": "2026-11-23T06:00:00Z",
            "slurmd_start_time": "2026-11-23T06:01:00Z",
            "switch_path": ["nn-1", "nn-2", "nn-3"],
            "slurm_switch_path": ["spine-1", "leaf-1"],
        },
        {
            "name": "ip-10-1-0-34",
            "group": None,
            "instance_id": None,
            "address": "10.1.0.34",
            "states": ["DOWN", "NOT_RESPONDING"],
            "reason": "",
            "reason_by": None,
            "reason_at": None,
            "partitions": ["workers"],
            "reservation": None,
            "boot_time": None,
            "slurmd_start_time": None,
            "switch_path": None,
            "slurm_switch_path": ["spine-1"],
        },
    ]


def test_silent_controller_is_none_not_an_empty_cluster(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    machine.command("scontrol", "echo 'Unable to contact slurm controller' >&2; exit 1")
    machine.command("squeue", "exit 1")
    machine.command("munge", "exit 1")
    probe = machine.probe()
    assert slurm_view.nodes(probe, {}, {}) is None
    assert slurm_view.jobs(probe) is None
    assert slurm_view.partitions(probe) is None
    assert slurm_view.reservations(probe) is None
    assert slurm_view.running_configuration(probe) is None
    assert slurm_view.ended(probe) is None
    assert slurm_view.daemons(probe) == {"slurmctld": "down", "slurmdbd": None, "munge": "down"}
    # As on AWS PCS, of which slurmd keeps the configuration.
    machine.file("/run/slurm/conf/slurm.conf", "ClusterName=dev\nAuthType=auth/slurm\n")
    assert slurm_view.daemons(probe)["munge"] is None


def test_slurm_without_munge_has_no_such_daemon(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    machine.command("munge", "exit 1")
    config = "AccountingStorageType   = accounting_storage/none\nAuthType                = {}\n"
    for plugin, expected in (("auth/slurm", None), ("auth/munge", "down")):
        text = config.format(plugin)
        machine.command(
            "scontrol",
            f'case "$1" in ping) echo "Slurmctld(primary) is UP" ;; *) echo "{text}" ;; esac',
        )
        assert slurm_view.daemons(machine.probe()) == {
            "slurmctld": "up",
            "slurmdbd": None,
            "munge": expected,
        }


def test_partitions_and_reservations(machine: Machine) -> None:
    assert slurm_view.partitions(machine.probe()) == [
        {"name": "workers", "state": "UP", "nodes": ["ip-10-1-0-33", "ip-10-1-0-34"]}
    ]
    assert slurm_view.reservations(machine.probe()) == [
        {
            "name": "clusterwright_acceptance",
            "nodes": ["ip-10-1-0-33"],
            "flags": ["MAINT", "IGNORE_JOBS"],
            "end": "2027-11-23T08:00:00Z",
        }
    ]


def test_secrets_of_the_configuration_are_not_published(machine: Machine) -> None:
    assert slurm_view.running_configuration(machine.probe()) == {
        "AccountingStorageType": "accounting_storage/slurmdbd",
        "SelectType": "select/cons_tres",
    }


def test_jobs_by_state_with_reasons_and_nodes(machine: Machine) -> None:
    rows = [
        (
            "101",
            "ada",
            "RUNNING",
            "None",
            "2026-11-23T07:00:00",
            "2026-11-23T06:59:00",
            "n1",
            "a|b",
        ),
        ("102", "bob", "PENDING", "Resources", "N/A", "2026-11-23T07:01:00", "", "eval"),
        (
            "103",
            "bob",
            "COMPLETED",
            "None",
            "2026-11-23T07:01:00",
            "2026-11-23T07:01:00",
            "n1",
            "x",
        ),
    ]
    machine.says("squeue", "".join(SEPARATOR.join(row) + "\n" for row in rows))
    assert slurm_view.jobs(machine.probe()) == {
        "jobs": {"COMPLETED": 1, "PENDING": 1, "RUNNING": 1},
        "running": [
            {
                "id": "101",
                "name": "a|b",
                "user": "ada",
                "nodes": ["n1"],
                "since": "2026-11-23T07:00:00Z",
            }
        ],
        "pending": [
            {
                "id": "102",
                "name": "eval",
                "user": "bob",
                "reason": "Resources",
                "since": "2026-11-23T07:01:00Z",
            }
        ],
    }


def test_jobs_that_did_not_complete(machine: Machine) -> None:
    ends = ("2026-11-23T05:00:00", "2026-11-23T06:00:00")
    rows = [
        ("99", "ada", "NODE_FAIL", "0:0", "None", "n[1-2]", *ends, "1", "c", "s", "train"),
        (
            "98",
            "ada",
            "CANCELLED by 1000",
            "0:15",
            "None",
            "None assigned",
            *ends,
            "",
            "",
            "",
            "x",
        ),
        ("97", "ada", "COMPLETED", "0:0", "None", "n1", *ends, "0", "", "", "good"),
        ("96", "ada", "RUNNING", "0:0", "None", "n1", ends[0], "Unknown", "0", "", "", "now"),
    ]
    machine.says("sacct", "".join(SEPARATOR.join(row) + "\n" for row in rows))
    found = slurm_view.ended(machine.probe())
    assert found is not None
    assert [(one["id"], one["state"], one["restarts"]) for one in found] == [
        ("99", "NODE_FAIL", 1),
        ("98", "CANCELLED", None),
    ]
    assert found[0]["nodes"] == ["ip-10-1-0-33", "ip-10-1-0-34"]
    assert found[0]["end"] == "2026-11-23T06:00:00Z"
    assert found[1]["nodes"] == []


def test_nodes_that_slurm_does_not_name_are_unknown_not_none(machine: Machine) -> None:
    """`scontrol show hostnames` fails while slurmctld answers the rest."""
    times = ("2026-11-23T07:00:00", "2026-11-23T06:59:00")
    job = ("101", "ada", "RUNNING", "None", *times, "n[1-2]", "train")
    machine.says("squeue", SEPARATOR.join(job) + "\n")
    failed = ("99", "ada", "NODE_FAIL", "0:0", "None", "n[1-2]", *times, "1", "c", "s", "train")
    machine.says("sacct", SEPARATOR.join(failed) + "\n")
    (machine.root / "said" / "hostnames").unlink()
    jobs = slurm_view.jobs(machine.probe())
    ended = slurm_view.ended(machine.probe())
    partitions = slurm_view.partitions(machine.probe())
    assert jobs is not None
    assert ended is not None
    assert partitions is not None
    assert [one["nodes"] for one in (*jobs["running"], *ended, *partitions)] == [None] * 3
    # Whoever changes a reservation has to know its nodes.
    machine.file("/said/reservations", RESERVATIONS.replace("ip-10-1-0-33", "ip-10-1-0-[33-34]"))
    assert slurm_view.reservations(machine.probe()) is None
    nodes = TOPOLOGY.replace("ip-10-1-0-33,ip-10-1-0-34", "ip-10-1-0-[33-34]")
    machine.file("/said/topology", nodes)
    found = slurm_view.nodes(machine.probe(), {}, {}, {})
    assert found is not None
    assert {node["slurm_switch_path"] is None for node in found} == {True}


def test_only_the_jobs_that_are_kept_are_expanded(machine: Machine) -> None:
    rows = [
        (str(n), "ada", "FAILED", "1:0", "None", f"n[{n}-{n + 1}]", "2026-11-23T05:00:00",
         f"2026-11-23T06:{n // 60 % 60:02}:{n % 60:02}", "0", "", "", "x")
        for n in range(slurm_view.MOST_ENDED + 20)
    ]  # fmt: skip
    machine.says("sacct", "".join(SEPARATOR.join(row) + "\n" for row in reversed(rows)))
    asked: list[str] = []
    probe = machine.probe()
    run = probe.run

    def counted(argv: list[str], *rest: float) -> CommandResult:
        asked.append(argv[-1])
        if "hostnames" in argv:
            return CommandResult(0, "n1\nn2\n", "")
        return run(argv, *rest)

    probe.run = counted  # type: ignore[method-assign,assignment]
    found = slurm_view.ended(probe)
    assert found is not None
    assert [one["id"] for one in found] == [str(n) for n in range(20, slurm_view.MOST_ENDED + 20)]
    assert len(asked) == 1 + slurm_view.MOST_ENDED


def test_version_and_daemons(machine: Machine) -> None:
    machine.command("munge", "exit 0")
    machine.command("sacctmgr", "echo prod")
    assert slurm_view.version(machine.probe()) == "24.11.5"
    assert slurm_view.daemons(machine.probe()) == {
        "slurmctld": "up",
        "slurmdbd": "up",
        "munge": "up",
    }


def test_invalid_list_of_instances_names_none() -> None:
    assert slurm_view.instances_by_address(None) == {}
    assert slurm_view.instances_by_address("[") == {}
    assert slurm_view.instances_by_address(RESOURCES) == {"10.1.0.33": ("workers", "i-0aaa")}


@pytest.mark.parametrize(
    "labels",
    [
        {"InstanceLabel": {f"network-node-layer-{n}": f"nn-{n}" for n in (3, 1, 2)}},
        {"InstanceLabels": [
            {"Key": f"topology.k8s.aws/network-node-layer-{n}", "Value": f"nn-{n}"}
            for n in (1, 2, 3)
        ]},
        {f"network-node-layer-{n}": f"nn-{n}" for n in (1, 2, 3)},
    ],
)  # fmt: skip
def test_network_nodes_from_the_top_down(labels: dict[str, object]) -> None:
    one = {"InstanceId": "i-1", "CustomerIpAddress": "10.1.0.33", **labels}
    text = json.dumps({"InstanceGroups": [{"Name": "workers", "Instances": [one]}]})
    assert slurm_view.network_by_address(text) == {"10.1.0.33": ["nn-1", "nn-2", "nn-3"]}


@pytest.mark.parametrize("text", [None, "", "{", '{"InstanceGroups": [{"Instances": [{}]}]}'])
def test_no_network_nodes(text: str | None) -> None:
    assert slurm_view.network_by_address(text) == {}
