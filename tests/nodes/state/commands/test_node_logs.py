"""What the logs of a node give."""

from __future__ import annotations

import datetime as dt
import json
import os
from pathlib import Path

import pytest
from clusterwright_common.probe import CommandResult, Probe
from clusterwright_state.commands import node_logs
from clusterwright_state.commands.node_logs import NodeLogs

from clusterwright.diagnosis import engine, log_files
from clusterwright.diagnosis.model import Target
from clusterwright.diagnosis.targets import concerning

SINCE = dt.datetime(2026, 11, 23, tzinfo=dt.UTC)
AT = "2026-11-23T08:00:00+0000"


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


def test_a_file_that_is_rotated_away_before_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path, "var/log/slurmctld.log", "x\n")
    monkeypatch.setattr(NodeLogs, "_rotated", lambda _, file: file.unlink() or "")
    logs = NodeLogs(SINCE, "ip-10-0-0-1", "", str(tmp_path))
    logs.of_files([])
    assert [(one.what, one.reason) for one in logs.unknown] == [
        ("/var/log/slurmctld.log", "it does not exist")
    ]


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


def journal(monkeypatch: pytest.MonkeyPatch, texts: dict[str, str]) -> list[list[str]]:
    """Root with a journal, `texts` by unit; `kernel` is the kernel's. The calls are returned."""
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    asked = []

    def run(_: Probe, argv: list[str], __: float = 0) -> CommandResult:
        asked.append(argv)
        names = [word[len("--unit=") :] for word in argv if word.startswith("--unit=")]
        kernel = "_TRANSPORT=kernel" in argv
        return CommandResult(0, texts.get("kernel" if kernel else names[0], ""), "")

    monkeypatch.setattr(Probe, "run", run)
    return asked


def test_the_journal_of_daemons_and_of_the_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = journal(monkeypatch, {"munge": f"{AT} ip-10-0-0-1 munged[7]: error: x\n"})
    logs = NodeLogs(SINCE, "ip-10-0-0-1")
    logs.of_journal(Probe())
    (one,) = logs.found
    assert (one.node, one.time) == ("ip-10-0-0-1", SINCE + dt.timedelta(hours=8))
    assert "journal of munge: 1 lines" in logs.read
    assert "journal of the kernel: 0 lines" in logs.read
    assert logs.unknown == []
    assert all(f"--since=@{int(SINCE.timestamp())}" in argv for argv in asked)
    # Also what the kernel wrote before the last boot.
    assert not any("--dmesg" in argv for argv in asked)


def test_a_journal_that_cannot_be_read_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    failed = CommandResult(1, "", "Failed to open the journal")
    monkeypatch.setattr(Probe, "run", lambda *_: failed)
    logs = NodeLogs(SINCE, "ip-10-0-0-1")
    logs.of_journal(Probe())
    assert ("the journal of the kernel of this node", "Failed to open the journal") in [
        (one.what, one.reason) for one in logs.unknown
    ]


def test_success_of_one_unit_says_nothing_of_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path, "etc/systemd/system/clusterwright-slurm-follow.service", "")
    failed = f"{AT} ip-10-0-0-1 munged[7]: error: Munge decode failed: Expired credential"
    ready = f"{AT} ip-10-0-0-1 a[8]: clusterwright: ip-10-0-0-1 is ready"
    journal(monkeypatch, {"munge": failed, "clusterwright-slurm-follow": ready})
    logs = NodeLogs(SINCE, "ip-10-0-0-1", "", str(tmp_path))
    logs.of_journal(Probe())
    assert "journal of clusterwright-slurm-follow: 1 lines" in logs.read
    assert [one.text for one in logs.found] == [failed]


def test_lines_of_daemons_in_the_journal_are_about_the_cluster(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    line = f"{AT} ip-10-0-0-1 slurmctld[7]: error: Nodes workers-3 not responding, setting DOWN"
    journal(monkeypatch, {"slurmctld": line})
    logs = NodeLogs(SINCE, "ip-10-0-0-1", "ip-10-0-0-1")
    logs.of_journal(Probe())
    (one,) = logs.found
    assert one.node == ""
    assert concerning(logs.found, Target("deploy"), {}, None) == ()
    (finding,) = engine.findings(logs.found, engine.Context("FILE"))
    assert (finding.signature, finding.resources) == ("not-responding", ())


def test_lines_that_are_too_old_are_not_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    judged: list[int] = []
    real = node_logs.evidence
    monkeypatch.setattr(node_logs, "evidence", lambda *a: judged.append(len(a[0])) or real(*a))
    old = "[2026-11-22T08:00:00] error: a\n  more of it\n"
    put(tmp_path, "var/log/slurmctld.log", f"{old}[2026-11-23T08:00:00] error: b\n  and c\n")
    put(tmp_path, "var/log/slurmd.log", old)
    put(tmp_path, "var/log/sackd.log", "no time\n")
    logs = NodeLogs(SINCE, "ip-10-0-0-1", "", str(tmp_path))
    logs.of_files([])
    assert judged == [2, 0, 1]


def test_what_does_not_reach_back_is_unknown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(node_logs, "_MOST_LINES", 2)
    monkeypatch.setattr(log_files, "MAXIMUM_BYTES", 60)
    line = "[2026-11-23T08:00:00] error: b\n"
    put(tmp_path, "var/log/slurmctld.log", line)
    put(tmp_path, "var/log/slurmctld.log.1", line)
    put(tmp_path, "var/log/slurmd.log", line * 3)
    put(tmp_path, "var/log/slurmdbd.log", f"[2026-11-22T08:00:00] a\n{line}")
    put(tmp_path, "var/log/slurmdbd.log.1", line)
    put(tmp_path, "var/log/sackd.log", line)
    put(tmp_path, "var/log/clusterwright/node.jsonl", "")
    put(tmp_path, "var/log/clusterwright/node.jsonl-20261123", line)
    journal(monkeypatch, {"munge": f"{AT} a\n{AT} b\n", "slurmd": f"{AT} a\n"})
    logs = NodeLogs(SINCE, "ip-10-0-0-1", "", str(tmp_path))
    logs.of_files([])
    logs.of_journal(Probe())
    older = "the older lines of"
    assert [(one.what, one.reason) for one in logs.unknown] == [
        (f"{older} /var/log/slurmctld.log", "they are in slurmctld.log.1"),
        (f"{older} /var/log/slurmd.log", "only its end is read"),
        (f"{older} /var/log/clusterwright/node.jsonl", "they are in node.jsonl-20261123"),
        (f"{older} the journal of munge", "only the last 2 lines are read"),
    ]


def test_a_folder_that_is_closed_is_unknown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path, "var/log/slurmd.log", "x\n")
    real = os.stat

    def stat(path: object, **more: bool) -> os.stat_result:
        if "/var/log/slurm/" in str(path):
            raise PermissionError(13, "Permission denied")
        return real(path, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "stat", stat)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    logs = NodeLogs(SINCE, "ip-10-0-0-1", "", str(tmp_path))
    logs.of_files(["/var/log/slurm/slurmctld.log"])
    assert logs.read == ["/var/log/slurmd.log: 1 lines"]
    (one,) = logs.unknown
    assert (one.what, one.reason) == ("the logs in /var/log/slurm", "Permission denied")
    assert one.hint == "sudo /usr/local/bin/clusterwright diagnose"


def test_a_log_with_a_gap_is_read_and_one_that_is_no_text_is_unknown(tmp_path: Path) -> None:
    put(tmp_path, "var/log/slurmctld.log", "a\n\0\0\0b\n")
    put(tmp_path, "var/log/slurmd.log", "\0\1")
    logs = NodeLogs(SINCE, "ip-10-0-0-1", "", str(tmp_path))
    logs.of_files([])
    assert [one.text for one in logs.found] == ["a", "b"]
    assert [(one.what, one.reason) for one in logs.unknown] == [("/var/log/slurmd.log", "no text")]
