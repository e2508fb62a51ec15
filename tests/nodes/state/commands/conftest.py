"""A node with the commands: its file, and Slurm's answers."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from clusterwright_common.probe import CommandResult, Probe
from clusterwright_state import acceptance, requests, slurm_view
from clusterwright_state.bucket import Bucket, BucketError
from clusterwright_state.commands import accept, account, nodes, program, view

_SECONDS = {"quick": 17, "standard": 400, "full": 4000}


def slurm_node(name: str, **changes: Any) -> dict[str, Any]:
    """A node as `slurm_view.nodes` has it."""
    found: dict[str, Any] = {
        "name": name,
        "group": None,
        "instance_id": f"i-{name}",
        "address": "10.0.0.1",
        "states": ["IDLE"],
        "reason": "",
        "reason_by": None,
        "reason_at": None,
        "partitions": ["gpu"],
        "reservation": None,
        "boot_time": "2026-11-23T06:00:00Z",
        "switch_path": None,
        "slurm_switch_path": None,
    }
    return {**found, **changes}


@dataclass
class Commands:
    """Runs commands as `clusterwright` does."""

    folder: Path
    capsys: pytest.CaptureFixture[str]
    nodes: list[dict[str, Any]] | None = field(default_factory=list)
    running: list[dict[str, Any]] = field(default_factory=list)
    reservations: list[dict[str, Any]] = field(default_factory=list)
    plugin: str | None = "topology/tree"
    ran: list[list[str]] = field(default_factory=list)
    published: str | None = None
    """The text of `state/scheduler.json` in the bucket; None where this user cannot read it."""
    document: str | None = None
    """The instance identity document; None where this user cannot read it."""

    def setting(self, **changes: Any) -> None:
        group = {
            "name": "workers",
            "role": "compute",
            "instance_type": "p5.48xlarge",
            "partition": "gpu",
            "spare_count": 1,
            "planned_seconds": _SECONDS,
        }
        found = {
            "schema_version": 1,
            "environment": "prod",
            "platform": "hyperpod-slurm",
            "region": "us-east-1",
            "administers": True,
            "administrator": "the controller",
            "has_service": True,
            "state_bucket": "sagemaker-prod-0",
            "account": "111122223333",
            "reserve": False,
            "level": "quick",
            "level_limit_seconds": {"quick": 60, "standard": 1200, "full": 10800},
            "resource_config": str(self.folder / "none.json"),
            "topology": "tree",
            "groups": [
                {"name": "workers", "spare_count": 1, "planned_seconds": _SECONDS, **group}
            ],
        }
        (self.folder / "commands.json").write_text(json.dumps({**found, **changes}))

    def run(self, *words: str) -> tuple[int, str, str]:
        code = program.main([f"--setting={self.folder}/commands.json", *words])
        caught = self.capsys.readouterr()
        return code, caught.out, caught.err

    def answer(self, *words: str) -> dict[str, Any]:
        code, out, err = self.run(*words, "--format=json")
        assert out, err
        found: dict[str, Any] = json.loads(out)
        assert found["exit_code"] == code
        return found


@pytest.fixture
def commands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Commands:
    made = Commands(tmp_path, capsys, [slurm_node("workers-1"), slurm_node("workers-2")])
    made.setting()
    jobs = {"jobs": {"RUNNING": 1}, "pending": []}
    answers: dict[str, Callable[..., Any]] = {
        "nodes": lambda *_: made.nodes,
        "jobs": lambda _: None if made.nodes is None else {**jobs, "running": made.running},
        "ended": lambda _: [],
        "partitions": lambda _: [{"name": "gpu", "state": "UP", "nodes": []}],
        "reservations": lambda _: made.reservations,
        "running_configuration": lambda _: {"TopologyPlugin": made.plugin},
        "version": lambda _: "24.11.5",
        "daemons": lambda _: {"slurmctld": "up", "slurmdbd": None, "munge": "up"},
    }
    for name, function in answers.items():
        monkeypatch.setattr(slurm_view, name, function)

    def run(_: Probe, argv: list[str], __: float = 0) -> CommandResult:
        made.ran.append(list(argv))
        return CommandResult(0, "", "")

    monkeypatch.setattr(Probe, "run", run)

    def get(_: Bucket, key: str, __: int) -> str:
        assert key == "state/scheduler.json"
        if made.published is None:
            raise BucketError("get-object: AccessDenied")
        return made.published

    def read_document() -> str:
        if made.document is None:
            raise OSError("refused")
        return made.document

    monkeypatch.setattr(Bucket, "get", get)
    monkeypatch.setattr(account, "read_document", read_document)
    monkeypatch.setattr(program.os, "geteuid", lambda: 0)
    monkeypatch.setenv("SUDO_USER", "ada")
    folder = str(tmp_path / "acceptance")
    local = str(tmp_path / "local")
    monkeypatch.setattr(requests, "LOCAL", local)
    monkeypatch.setattr(acceptance, "FOLDER", folder)
    monkeypatch.setattr(view.read, "__defaults__", (folder,))
    monkeypatch.setattr(accept.Acceptance.__init__, "__defaults__", (folder, local))
    monkeypatch.setattr(accept, "POLL_SECONDS", 0.01)
    monkeypatch.setattr(nodes, "POLL_SECONDS", 0.01)
    return made
