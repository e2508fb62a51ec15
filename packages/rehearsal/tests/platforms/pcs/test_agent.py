"""The agent of AWS PCS: registration, and each policy of lifecycle actions."""

from __future__ import annotations

import base64
import hashlib
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from botocore.exceptions import ClientError

from clusterwright_rehearsal.platforms.pcs.agent import ACTION, CACHE, DONE, Agent, NodeRejected
from clusterwright_rehearsal.platforms.pcs.node import PcsNode
from packages.rehearsal.tests.platforms.fake_machine import FakeMachine
from packages.rehearsal.tests.platforms.pcs.orders import member

TEXT = b"#!/bin/sh\nexit 0\n"


class Process:
    """A script that has ended."""

    def __init__(self, code: int) -> None:
        self.stdout = io.StringIO("one line\n")
        self._code = code

    def wait(self) -> int:
        return self._code


class ScriptMachine(FakeMachine):
    """A machine that keeps which files exist; scripts end with the codes of `codes`, by name."""

    def __init__(self, codes: dict[str, int] | None = None) -> None:
        super().__init__("workers-1")
        self.codes = codes or {}
        self.started: list[str] = []
        self.marks: set[str] = set()

    def run(self, command: str | Sequence[str], **more: Any) -> Any:
        text = command if isinstance(command, str) else " ".join(command)
        if text.startswith("test -e "):
            path = text.split()[-1]
            exists = path in self.files or path in self.marks
            self.answers[text] = (0 if exists else 1, "")
        if "touch " in text:
            self.marks.add(text.split("touch ")[1].split()[0])
        return super().run(command, **more)

    def start(self, words: Sequence[str], **_: Any) -> Process:
        name = words[0].rpartition("-")[2]
        self.started.append(name)
        return Process(self.codes.get(name, 0))


def script(name: str, **more: Any) -> dict[str, Any]:
    return {
        "name": name,
        "scriptSource": {"scriptLocation": f"s3://scripts/{name}.sh"},
        "onError": "TERMINATE",
        "executionPolicy": "EVERY_BOOT",
        **more,
    }


def registered(*scripts: dict[str, Any], caching: str = "CACHE_ONCE") -> dict[str, Any]:
    return {
        "nodeID": "workers-1",
        "schedulerVersion": "25.11",
        "sharedSecret": base64.b64encode(b"key").decode(),
        "endpoints": [{"type": "SLURMCTLD", "privateIpAddress": "10.0.0.9", "port": "6817"}],
        "nodeLifecycleActions": {
            "scriptCachingPolicy": caching,
            "stages": {"nodeBootstrapped": list(scripts)},
        },
    }


class Place:
    """An agent with its node and its clients."""

    def __init__(self, folder: Path, machine: ScriptMachine, answer: dict[str, Any]) -> None:
        self.machine = machine
        self.s3, self.pcs = Mock(), Mock()
        self.s3.get_object.side_effect = lambda **_: {"Body": io.BytesIO(TEXT)}
        self.pcs.register_compute_node_group_instance.return_value = answer
        self.node = PcsNode(machine, member(), folder)  # type: ignore[arg-type]

    def agent(self, *, is_first_boot: bool = True) -> Agent:
        found = Agent(self.node, {"pcs": self.pcs, "s3": self.s3}, is_first_boot=is_first_boot)
        found.register("pcs_c")
        return found

    def boot(self, *, is_first_boot: bool = True) -> None:
        self.agent(is_first_boot=is_first_boot).run_stage("nodeBootstrapped")


def test_registration_brings_the_key_and_the_name(tmp_path: Path) -> None:
    place = Place(tmp_path, ScriptMachine(), registered())
    agent = Agent(place.node, {"pcs": place.pcs, "s3": place.s3}, is_first_boot=True)
    assert agent.register("pcs_c") == "workers-1"
    path = "/opt/aws/pcs/scheduler/slurm-25.11/etc/slurm.key"
    assert place.machine.files[path] == b"key"
    assert place.machine.modes[path] == 0o600
    agent.start_slurmd()
    assert place.machine.files["/etc/default/slurmd"] == (
        f'SLURMD_OPTIONS="-N workers-1 --conf-server 10.0.0.9:6817"\nSLURM_SACK_KEY={path}\n'
    )
    agent.start_slurmd(says_booted=True)
    assert 'SLURMD_OPTIONS="-b -N workers-1 ' in str(place.machine.files["/etc/default/slurmd"])


def test_refused_registration_rejects_the_node(tmp_path: Path) -> None:
    place = Place(tmp_path, ScriptMachine(), registered())
    error = {"Error": {"Code": "AccessDeniedException", "Message": "not in the cluster"}}
    place.pcs.register_compute_node_group_instance.side_effect = ClientError(error, "Register")
    with pytest.raises(NodeRejected, match="not in the cluster"):
        place.agent()


@pytest.mark.parametrize(
    ("policy", "started", "rejected"),
    [
        ("TERMINATE", ["a"], True),
        ("STOP_SEQUENCE", ["a"], False),
        ("CONTINUE", ["a", "b"], False),
    ],
)
def test_failure_of_a_script(
    tmp_path: Path, policy: str, started: list[str], rejected: bool
) -> None:
    machine = ScriptMachine({"a": 1})
    place = Place(tmp_path, machine, registered(script("a", onError=policy), script("b")))
    if rejected:
        with pytest.raises(NodeRejected, match="nodeBootstrapped: a exited with 1"):
            place.boot()
    else:
        place.boot()
    assert machine.started == started


@pytest.mark.parametrize(
    ("policy", "boots"), [("FIRST_BOOT_ONLY", ["a"]), ("EVERY_BOOT", ["a", "a"])]
)
def test_scripts_of_a_reboot(tmp_path: Path, policy: str, boots: list[str]) -> None:
    machine = ScriptMachine()
    place = Place(tmp_path, machine, registered(script("a", executionPolicy=policy)))
    place.boot()
    assert f"{DONE}/nodeBootstrapped-a" in machine.marks
    place.boot(is_first_boot=False)
    assert machine.started == boots


@pytest.mark.parametrize(("caching", "downloads"), [("CACHE_ONCE", 1), ("REFRESH_ON_REBOOT", 2)])
def test_cached_scripts(tmp_path: Path, caching: str, downloads: int) -> None:
    place = Place(tmp_path, ScriptMachine(), registered(script("a"), caching=caching))
    place.boot()
    place.boot(is_first_boot=False)
    assert place.s3.get_object.call_count == downloads
    assert place.machine.files[f"{CACHE}/nodeBootstrapped-a"] == TEXT


def test_checksum_is_verified(tmp_path: Path) -> None:
    right = hashlib.sha256(TEXT).hexdigest()
    source = {"scriptLocation": "s3://scripts/a.sh", "s3VersionId": "7"}
    good = script("a", scriptSource={**source, "checksum": right})
    place = Place(tmp_path, ScriptMachine(), registered(good))
    place.boot()
    place.s3.get_object.assert_called_once_with(Bucket="scripts", Key="a.sh", VersionId="7")
    bad = script("a", scriptSource={**source, "checksum": "0" * 64})
    place = Place(tmp_path, ScriptMachine(), registered(bad))
    with pytest.raises(NodeRejected, match=f"has the SHA-256 {right}, not 0000"):
        place.boot()
    assert place.machine.started == []


def test_script_that_is_not_in_s3_cannot_be_rehearsed(tmp_path: Path) -> None:
    source = {"scriptLocation": "https://example.com/a.sh"}
    place = Place(tmp_path, ScriptMachine(), registered(script("a", scriptSource=source)))
    with pytest.raises(NodeRejected, match="is not an S3 URI"):
        place.boot()


def test_output_is_in_the_runs_folder_and_the_action_can_be_repeated(tmp_path: Path) -> None:
    place = Place(tmp_path, ScriptMachine(), registered(script("a", arguments=["x y", "z"])))
    place.boot()
    assert place.node.log_file.read_text() == "one line\n"
    assert place.machine.files[f"{ACTION}.json"] == '["x y", "z"]'


def test_script_is_placed_without_being_run(tmp_path: Path) -> None:
    place = Place(tmp_path, ScriptMachine(), registered(script("a", arguments=["x"]), script("b")))
    place.agent().place("nodeBootstrapped")
    assert place.machine.started == []
    assert place.machine.files[f"{ACTION}.json"] == '["x"]'
