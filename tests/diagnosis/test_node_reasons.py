"""Slurm's reasons for nodes in what its commands and daemons print."""

from __future__ import annotations

import pytest

from clusterwright.diagnosis.slurm_reasons import meaning
from tests.diagnosis.made import findings, of_log

SINFO = """\
REASON               USER      TIMESTAMP           NODELIST
Low TmpDisk          slurm     2026-11-28T10:00:00 w-1
Prolog/Epilog failur slurm     2026-11-28T10:00:01 w-[2-3]
reboot timed out     slurm     2026-11-28T10:00:02 w-4
SlurmdSpoolDir is fu root      2026-11-28T10:00:03 w-5
a new cable          ada       2026-11-28T10:00:04 w-6
"""
SCONTROL = """\
NodeName=w-1 Arch=x86_64 CoresPerSocket=24
   State=DOWN+DRAIN ThreadsPerCore=2 TmpDisk=0 Weight=1
   Reason=Low TmpDisk [slurm@2026-11-28T10:00:00]
NodeName=w-2 Arch=x86_64 CoresPerSocket=24
   State=IDLE ThreadsPerCore=2 TmpDisk=0 Weight=1
"""


def test_list_of_reasons_names_each_with_its_nodes() -> None:
    found = {item.text: item for item in of_log(SINFO) if item.kind == "scheduler-node"}
    assert {text: item.node for text, item in found.items()} == {
        "Low TmpDisk": "w-1",
        "Prolog/Epilog failur": "",
        "reboot timed out": "w-4",
        "SlurmdSpoolDir is fu": "w-5",
    }
    assert found["Prolog/Epilog failur"].fields["nodes"] == "w-2,w-3"
    assert found["reboot timed out"].time is not None
    causes = [finding.cause for finding in findings(*of_log(SINFO))]
    assert len(causes) == 4
    assert not any(cause.startswith("disk full: no space left") for cause in causes)


def test_reason_of_a_node_is_of_the_node_above_it() -> None:
    (found,) = findings(*of_log(SCONTROL))
    assert "is smaller than TmpDisk" in found.cause
    assert found.resources == ("w-1",)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("NodeName=w-1 State=DOWN Reason=Low TmpDisk [root@2026-11-28T10:00:00]", "than TmpDisk"),
        ("w-1 drained* reboot timed out", "did not come back"),
        ("Low TmpDisk slurm(64030) 2026-11-28T10:00:00 drain* w-1", "than TmpDisk"),
        (
            "slurmctld: error: Setting node w-1 state to INVAL with reason:Low RealMemory (x), "
            "Low TmpDisk",
            "than TmpDisk",
        ),
        ("update_node: node w-1 reason set to: SlurmdSpoolDir is full", "of slurmd on the node"),
        ("error: Prolog/Epilog failure on nodes w-1, set to state DRAIN", "prolog or the epilog"),
    ],
)
def test_reason_is_read(line: str, words: str) -> None:
    (found,) = findings(*of_log(line))
    assert words in found.cause
    assert found.resources == ("w-1",)


@pytest.mark.parametrize(
    "line",
    [
        "Reboot timed out in the simulation, the agent starts again",
        "the test of the host failed after reboot timed out",
        "JobId=7 JobState=PENDING Reason=Resources Dependency=(null)",
        "slurmd: CPUs=192 Boards=1 Sockets=2 Cores=48 TmpDisk=102400 Uptime=300",
        "debug: Node w-1 has low tmp_disk size (0 < 100)",
        "update_node: node w-1 reason set to: a new cable",
    ],
)
def test_other_lines_have_no_reason(line: str) -> None:
    assert findings(*of_log(line)) == ()


@pytest.mark.parametrize(
    "reason",
    [
        "Reported active features (a) are not a superset",
        "RestrictedCoresPerGPU=4 but no gpus on node w-1",
        "Could not unpack gres data",
        "gpu GRES core specification 0-9 for node w-1",
        "gpu GRES autodetected core affinity 0-9 on node w-1",
        "Failed to parse dynamic_conf nodeline",
        "Failed to set topology 'default:s1'",
        "NO NETWORK ADDRESS FOUND",
        "switch_g_job_postfini failed",
    ],
)
def test_reason_is_known_by_what_sinfo_shows_of_it(reason: str) -> None:
    assert meaning(reason) is not None
    assert meaning(reason[:20]) is not None


@pytest.mark.parametrize("indent", ["", "   "])
def test_reason_without_who_gave_it(indent: str) -> None:
    text = f"NodeName=w-1 Arch=x86_64\n{indent}Reason=Failed to set topology 'CoreSpecCount=36'\n"
    (item,) = [item for item in of_log(text) if item.kind == "scheduler-node"]
    assert item.node == "w-1"
    (found,) = findings(*of_log(text))
    assert "its topology are not valid" in found.cause
    assert not [i for i in of_log("Reason=a new cable\n") if i.kind == "scheduler-node"]
