"""`clusterwright drift` on a node compares what nodes know."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from clusterwright_common import installation
from clusterwright_common.installation import Installed
from clusterwright_common.probe import CommandResult, Probe
from clusterwright_state import slurm_view
from clusterwright_state.commands import drift, view
from clusterwright_state.commands.setting import read

from clusterwright.json_output.drift import DriftOutput
from tests.nodes.state.commands.conftest import Commands

CLOSED = "slurm_load_node error: Unable to contact slurm controller"
AWS = (
    "the file, the stacks and what AWS has (rules, routes, endpoints, launch templates, images, "
    "uploaded scripts)"
)


def slurm(
    monkeypatch: pytest.MonkeyPatch, configuration: dict[str, str] | None, shown: str = ""
) -> None:
    """What slurmctld runs, and the answer of `scontrol show nodes`."""
    monkeypatch.setattr(slurm_view, "running_configuration", lambda _: configuration)

    def run(_: Probe, argv: list[str], __: float = 0) -> CommandResult:
        if configuration is None:
            return CommandResult(1, "", CLOSED)
        return CommandResult(0, shown if "nodes" in argv else "", "")

    monkeypatch.setattr(Probe, "run", run)


def publish(node: Commands, digest: str | None, program: str = "v1") -> None:
    node.published = json.dumps(
        {
            "environment": "prod",
            "written_at": view.now(),
            "configuration": {
                "inputs_sha256": digest,
                "program": {"versions": {program: ["clusterwright_state"]}},
            },
        }
    )


def differences(found: dict[str, Any]) -> list[tuple[str, ...]]:
    DriftOutput.model_validate_json(json.dumps(found))
    assert set(found) == set(DriftOutput.model_fields)
    keys = ("kind", "resource", "path", "deployed", "file")
    return [tuple(one[key] for key in keys) for one in found["differences"]]


def installed(
    monkeypatch: pytest.MonkeyPatch, *versions: str, changes: Any = (), error: str = ""
) -> None:
    """What the node has of the node program."""

    def read(_: Path) -> Installed | None:
        if error:
            raise PermissionError(error)
        found: dict[str, list[str]] = {one: [f"package-{one}"] for one in versions}
        return Installed(found, list(changes)) if found else None

    monkeypatch.setattr(installation, "read", read)


@pytest.fixture(autouse=True)
def _installed(monkeypatch: pytest.MonkeyPatch) -> None:
    installed(monkeypatch, "v1")


SAME = {"HASH_VAL": "Match", "SLURM_VERSION": "24.11.5"}


def test_a_node_without_differences_leaves_out_what_aws_has(
    commands: Commands, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands.setting(inputs_sha256="a1")
    publish(commands, "a1")
    slurm(
        monkeypatch, SAME, "NodeName=workers-1 Arch=x86_64 Version=24.11.5\nNodeName=workers-2 X=1"
    )
    found = commands.answer("drift")
    assert differences(found) == []
    assert [one["what"] for one in found["not_compared"]] == [AWS]
    assert found["exit_code"] == 2
    text = commands.run("drift")[1]
    assert "hint: from a workstation: clusterwright drift FILE" in text
    assert text.endswith("\n0 differences\n")


def test_other_inputs_and_other_versions_of_slurmd(
    commands: Commands, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.uname", lambda: type("Uname", (), {"nodename": "ip-10-0-0-9.ec2"}))
    commands.setting(inputs_sha256="a1")
    publish(commands, "b2")
    others = [f"NodeName=workers-{number} Version=24.05.1" for number in range(7)]
    slurm(monkeypatch, SAME, "\n".join(["NodeName=head Version=24.11.5", *others]))
    found = commands.answer("drift")
    assert found["exit_code"] == 1
    assert differences(found) == [
        ("node-program", "ip-10-0-0-9", "inputs_sha256", "a1", "b2"),
        (
            "slurm-configuration",
            "workers-0, workers-1, workers-2, workers-3, workers-4 and 2 more",
            "slurmd",
            "24.05.1",
            "24.11.5",
        ),
    ]
    text = commands.run("drift")[1]
    assert "node-program: ip-10-0-0-9.inputs_sha256\n  deployed  a1\n  file      b2\n" in text


def test_slurm_conf_that_slurmctld_did_not_read(
    commands: Commands, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    commands.setting()
    folder = tmp_path / "root/etc/slurm"
    folder.mkdir(parents=True)
    (folder / "slurm.conf").write_text(
        "# SuspendTime=1\nSlurmdTimeout=600 # s\nKillWait=30\nPrologFlags=Contain\n"
        "SlurmUser=slurm\nSlurmctldHost=a\nNodeName=w State=UNKNOWN\nAuthAltParameters=x\n"
        'Unknown=1\nPrologEpilogTimeout="60"\ninclude more.conf\ninclude none.conf\n'
    )
    (folder / "more.conf").write_text("MaxJobCount=5\ninclude slurm.conf\n")
    running = {
        **SAME,
        "HASH_VAL": "Different Ours=<0x1> Slurmctld=<0x2>",
        "SlurmdTimeout": "300 sec",
        "KillWait": "30 sec",
        "PrologFlags": "Alloc,Contain",
        "SlurmUser": "slurm(64030)",
        "SlurmctldHost": "b",
        "PrologEpilogTimeout": "60 sec",
        "MaxJobCount": "10000",
    }
    slurm(monkeypatch, running)
    known = view.read(read(f"{tmp_path}/commands.json"), needs_acceptance=False)
    found = drift.answer(known, f"{tmp_path}/root")
    assert differences(found) == [
        ("slurm-configuration", "slurm.conf", "SlurmdTimeout", "300 sec", "600"),
        ("slurm-configuration", "slurm.conf", "MaxJobCount", "10000", "5"),
    ]
    (folder / "slurm.conf").write_text("KillWait=30\n")
    assert differences(drift.answer(known, f"{tmp_path}/root")) == [
        (
            "slurm-configuration",
            "slurm.conf",
            "",
            "the configuration that slurmctld runs",
            "/etc/slurm/slurm.conf",
        )
    ]


@pytest.mark.parametrize(
    ("name", "running", "file", "same"),
    [
        ("SuspendTime", "INFINITE", "-1", True),
        ("SuspendTime", "INFINITE", "600", False),
        ("SuspendTime", "600 sec", "-1", False),
        ("DefMemPerNode", "UNLIMITED", "0", True),
        ("PriorityDecayHalfLife", "7-00:00:00", "7-0", True),
        ("PriorityDecayHalfLife", "7-00:00:00", "10080", True),
        ("PriorityDecayHalfLife", "7-00:00:00", "168:00:00", True),
        ("PriorityDecayHalfLife", "7-00:00:00", "7-01:00", False),
        ("PriorityDecayHalfLife", "7-00:00:00", "14-0", False),
        ("PriorityCalcPeriod", "00:05:00", "5", True),
        ("PriorityCalcPeriod", "00:05:00", "5:00", True),
        ("PriorityCalcPeriod", "00:05:00", "6", False),
        ("OverTimeLimit", "600 sec", "10:00", True),
        ("SlurmctldDebug", "info", "3", True),
        ("SlurmctldDebug", "info", "5", False),
        ("SlurmdDebug", "debug2", "info", False),
        ("SlurmUser", "slurm(401)", "401", True),
        ("SelectType", "select/cons_tres", "select/linear", False),
        ("SchedulerParameters", "a,b=3", "b=3", True),
        ("SchedulerParameters", "a,b=3", "b=4", False),
        ("MaxJobCount", "10000", "20000", False),
    ],
)
def test_values_that_slurm_shows_in_another_form(
    commands: Commands,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    name: str,
    running: str,
    file: str,
    same: bool,
) -> None:
    commands.setting()
    folder = tmp_path / "root/etc/slurm"
    folder.mkdir(parents=True)
    (folder / "slurm.conf").write_text(f"{name}={file}\n")
    slurm(monkeypatch, {**SAME, "HASH_VAL": "Different Ours=<0x1>", name: running})
    known = view.read(read(f"{tmp_path}/commands.json"), needs_acceptance=False)
    (found,) = differences(drift.answer(known, f"{tmp_path}/root"))
    assert (found[2] != name) is same


def test_versions_in_the_texts_of_nodes_are_none(
    commands: Commands, monkeypatch: pytest.MonkeyPatch
) -> None:
    nodes = (
        "NodeName=n1 Arch=x86_64 Version=24.11.4 State=IDLE Reason=Kill task failed Version=3",
        "NodeName=n2 Version=24.11.5 Reason=x Version=3 Comment=Version=4",
        "NodeName=n3 State=DOWN Reason=x Version=3",
        "NodeName=n4 Reason=Version=3",
        "NodeName=n5 Version=(null) Comment=Version=4",
    )
    slurm(monkeypatch, SAME, "\n".join(nodes))
    assert [one[1:] for one in differences(commands.answer("drift"))] == [
        ("n1", "slurmd", "24.11.4", "24.11.5")
    ]


@pytest.mark.parametrize(
    ("configuration", "reasons"),
    [
        (
            None,
            {
                "the running Slurm configuration": "slurmctld does not answer",
                "the versions of slurmd": CLOSED,
            },
        ),
        (
            {},
            {
                "the running Slurm configuration": "Slurm does not compare it (HASH_VAL)",
                "the versions of slurmd": "slurmctld does not answer",
            },
        ),
    ],
)
def test_what_does_not_answer_is_not_compared(
    commands: Commands,
    monkeypatch: pytest.MonkeyPatch,
    configuration: dict[str, str] | None,
    reasons: dict[str, str],
) -> None:
    slurm(monkeypatch, configuration)
    found = commands.answer("drift")
    assert differences(found) == []
    assert {one["what"]: one["reason"] for one in found["not_compared"]}.items() >= reasons.items()


def test_inputs_that_nobody_states(commands: Commands, monkeypatch: pytest.MonkeyPatch) -> None:
    slurm(monkeypatch, SAME)

    def reason() -> str:
        found = commands.answer("drift")["not_compared"]
        (one,) = (one for one in found if one["what"] == "the inputs of the node program")
        return str(one["reason"])

    assert reason().startswith("state/scheduler.json of the bucket cannot be read")
    publish(commands, "b2")
    assert reason() == "this node does not state their digest"
    commands.setting(inputs_sha256="a1")
    publish(commands, None)
    assert reason() == "the controller does not state their digest"
    commands.setting(inputs_sha256="a1", platform="parallelcluster")
    assert reason() == "groups have files of their own on this platform"


PROGRAM = "/opt/clusterwright/lib/clusterwright_state/service.py"


def test_changed_files_of_the_node_program_are_named(
    commands: Commands, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.uname", lambda: type("Uname", (), {"nodename": "ip-10-0-0-9.ec2"}))
    slurm(monkeypatch, SAME)
    commands.setting(inputs_sha256="a1", administers=False)
    publish(commands, "a1")
    changes = [
        {"path": PROGRAM, "sha256": "1", "recorded_sha256": "2"},
        {"path": "/opt/clusterwright/lib/json.py", "sha256": "3", "recorded_sha256": None},
        {"path": "/opt/clusterwright/lib/a/b.py", "sha256": None, "recorded_sha256": "4"},
    ]
    installed(monkeypatch, "v1", changes=changes)
    found = commands.answer("drift")
    assert found["exit_code"] == 1
    assert differences(found) == [
        ("node-program", "ip-10-0-0-9", PROGRAM, "1", "2"),
        ("node-program", "ip-10-0-0-9", "/opt/clusterwright/lib/json.py", "3", None),
        ("node-program", "ip-10-0-0-9", "/opt/clusterwright/lib/a/b.py", None, "4"),
    ]
    text = commands.run("drift")[1]
    assert f"node-program: ip-10-0-0-9:{PROGRAM}\n  deployed  1\n  file      2\n" in text
    assert "json.py\n  deployed  3\n  file      (none)\n" in text
    assert "b.py\n  deployed  (none)\n  file      4\n" in text


def test_another_version_of_the_node_program(
    commands: Commands, monkeypatch: pytest.MonkeyPatch
) -> None:
    slurm(monkeypatch, SAME)
    commands.setting(inputs_sha256="a1", administers=False)
    publish(commands, "a1", program="v2")
    (found,) = differences(commands.answer("drift"))
    assert found[2:] == ("program_sha256", "v1", "v2")
    installed(monkeypatch, "v1", "v2")
    (found,) = differences(commands.answer("drift"))
    assert found[2:] == ("program_sha256: package-v1", "v1", "v2")
    # The controller is the one that others are compared with.
    commands.setting(inputs_sha256="a1")
    assert differences(commands.answer("drift")) == []


def test_a_node_program_that_is_not_recorded(
    commands: Commands, monkeypatch: pytest.MonkeyPatch
) -> None:
    slurm(monkeypatch, SAME)
    commands.setting(inputs_sha256="a1", administers=False)

    def reasons() -> dict[str, str]:
        found = commands.answer("drift")
        assert differences(found) == []
        return {
            str(one["what"]): str(one["reason"])
            for one in found["not_compared"]
            if "installed files" in one["what"]
        }

    assert list(reasons()) == ["the installed files of the node program: their version"]
    publish(commands, "a1")
    assert reasons() == {}
    commands.published = str(commands.published).replace('"program"', '"older"')
    assert reasons() == {
        "the installed files of the node program: their version": "the controller does not state "
        "one version"
    }
    installed(monkeypatch)
    what = "the installed files of the node program"
    assert reasons() == {what: "/var/lib/clusterwright/installed has no records of them"}
    installed(monkeypatch, error="denied")
    assert reasons() == {what: "they cannot be read: denied"}
