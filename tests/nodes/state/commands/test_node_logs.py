"""What the logs of a node give."""

from __future__ import annotations

import datetime as dt
import json
import os
from pathlib import Path

import pytest
from clusterwright_common.probe import CommandResult, Probe
from clusterwright_state.commands.node_logs import NodeLogs

SINCE = dt.datetime(2026, 11, 23, tzinfo=dt.UTC)


def put(root: Path, path: str, text: str) -> None:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def test_files_of_daemons_and_of_the_node_program(tmp_path: Path) -> None:
    put(tmp_path, "var/log/slurm/slurmctld.log", "[2026-11-23T08:00:00] error: a\n")
    put(tmp_path, "srv/own.log", "[2026-11-23T08:00:00] error: b\n[2026-11-22T08:00:00] old\n")
    event = {"event": "end", "step": "lustre", "status": "failed", "error": "no route"}
    put(tmp_path, "var/log/clusterwright/node.jsonl", json.dumps(event) + "\n")
    logs = NodeLogs(SINCE, "ip-10-0-0-1", "", str(tmp_path))
    logs.of_files(["/srv/own.log", "none", ""])
    assert {one.text for one in logs.found} == {
        "[2026-11-23T08:00:00] error: a",
        "[2026-11-23T08:00:00] error: b",
        "step lustre failed: no route",
    }
    assert logs.read == [
        "/srv/own.log: 2 lines",
        "/var/log/slurm/slurmctld.log: 1 lines",
        "/var/log/clusterwright/node.jsonl: 1 lines",
    ]
    assert logs.unknown == []


def test_a_file_that_the_user_may_not_read_is_unknown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path, "var/log/slurmctld.log", "x\n")
    real = Path.open

    def refuse(path: Path, *words: object, **more: object) -> object:
        if path.name == "slurmctld.log":
            raise PermissionError(13, "Permission denied")
        return real(path, *words, **more)  # type: ignore[call-overload]

    monkeypatch.setattr(Path, "open", refuse)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    logs = NodeLogs(SINCE, "ip-10-0-0-1", "", str(tmp_path))
    logs.of_files([])
    logs.of_journal(Probe(str(tmp_path)))
    assert [(one.what, one.reason) for one in logs.unknown] == [
        ("/var/log/slurmctld.log", "Permission denied"),
        ("the journal of this node", "only root reads all of it"),
    ]
    assert {one.hint for one in logs.unknown} == {"sudo /usr/local/bin/clusterwright diagnose"}


def test_the_journal_of_daemons_and_of_the_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    asked = []

    def run(_: Probe, argv: list[str], __: float = 0) -> CommandResult:
        asked.append(argv)
        if "--dmesg" in argv:
            return CommandResult(1, "", "Failed to open the journal")
        return CommandResult(0, "2026-11-23T08:00:00+0000 ip-10-0-0-1 munged[7]: error: x\n", "")

    monkeypatch.setattr(Probe, "run", run)
    logs = NodeLogs(SINCE, "ip-10-0-0-1")
    logs.of_journal(Probe())
    (one,) = logs.found
    assert (one.node, one.time) == ("ip-10-0-0-1", SINCE + dt.timedelta(hours=8))
    assert logs.read == ["journal of units: 1 lines"]
    (unknown,) = logs.unknown
    assert (unknown.what, unknown.reason) == (
        "the journal of the kernel of this node",
        "Failed to open the journal",
    )
    assert "--unit=clusterwright-*" in asked[0]
    assert f"--since=@{int(SINCE.timestamp())}" in asked[1]
