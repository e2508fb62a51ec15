"""`clusterwright diagnose` on a node has the document of the command elsewhere, and its tables."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from clusterwright_common.probe import CommandResult, Probe
from clusterwright_state.commands import diagnose, node_logs

from clusterwright.json_output.diagnose import DiagnoseOutput
from tests.nodes.state.commands.conftest import Commands, slurm_node

RUN = Probe.run
SACCT = "JobID\x1fState\x1fExitCode\x1fJobName\x1fNodeList\x1fEnd\n"


@pytest.fixture
def node(commands: Commands, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Commands:
    """A controller whose files are in `tmp_path`; sacct says what `sacct.txt` there has."""
    root = tmp_path / "root"
    root.mkdir()
    (tmp_path / "sacct.txt").write_text(SACCT)
    answers = {
        "sacct": "sacct.txt",
        "scontrol": "job.txt",
        "journalctl": "journal.txt",
        "ip": "ip.txt",
    }

    def run(probe: Probe, argv: list[str], limit: float = 1) -> CommandResult:
        program = next((word for word in argv if word in answers), "")
        file = tmp_path / answers.get(program, "none")
        commands.ran.append(list(argv))
        if "tail" in " ".join(argv):
            # Whatever is read is read in time, and as the job's user.
            return RUN(probe, argv[argv.index("sh") :], min(limit, 1))
        return CommandResult(0, file.read_text() if file.exists() else "", "")

    monkeypatch.setattr(Probe, "run", run)
    monkeypatch.setattr(diagnose.answer, "__defaults__", (str(root),))
    monkeypatch.setattr(node_logs.os, "geteuid", lambda: 0)
    return commands


def shown(folder: Path, job: str, name: str) -> None:
    """Slurm knows a job of the user ada and its output."""
    text = f"JobId={job} UserId=ada(1001) StdErr={folder}/{name} StdIn=/dev/null\n"
    (folder / "job.txt").write_text(text)


def ended(folder: Path, job: str) -> None:
    row = (job, "FAILED", "1:0", "a", "workers-1", "2026-11-23T08:00:00")
    (folder / "sacct.txt").write_text(SACCT + "\x1f".join(row) + "\n")


def signatures(found: dict[str, Any]) -> list[str]:
    return [one["signature"] for one in found["findings"]]


def test_the_document_is_that_of_the_command_elsewhere(node: Commands) -> None:
    node.nodes = [slurm_node("workers-1", states=["DOWN"], reason="Not responding")]
    found = node.answer("diagnose", "node", "workers-1")
    DiagnoseOutput.model_validate_json(json.dumps(found))
    assert set(found) == set(DiagnoseOutput.model_fields)
    for key in ("findings", "unknown"):
        (row, *_) = found[key]
        kind = DiagnoseOutput.model_fields[key].annotation.__args__[0]  # type: ignore[union-attr]
        assert set(row) == set(kind.model_fields)
    assert found["exit_code"] == 1
    assert found["findings"][0]["resources"][0] == "workers-1"
    assert found["findings"][0]["evidence"][0]["source"] == "the scheduler's state"


def test_what_only_aws_knows_is_unknown(node: Commands) -> None:
    found = node.answer("diagnose")
    assert (found["exit_code"], found["findings"]) == (2, [])
    (part,) = found["unknown"]
    assert part["hint"] == "from a workstation: clusterwright diagnose FILE"
    code, out, _ = node.run("diagnose", "deploy")
    assert code == 2
    assert "hint: from a workstation: clusterwright diagnose FILE deploy" in out
    assert out.endswith("no failure found; 1 could not be read\n")


def test_logs_of_this_node_are_judged(node: Commands, tmp_path: Path) -> None:
    log = tmp_path / "root/var/log/slurm/slurmctld.log"
    log.parent.mkdir(parents=True)
    log.write_text("[2999-11-23T08:00:00] error: Munge decode failed: Expired credential\n")
    found = node.answer("diagnose")
    assert found["exit_code"] == 1
    (one,) = found["findings"]
    assert one["evidence"][0]["id"] == "/var/log/slurm/slurmctld.log:1"
    assert "journal of the kernel: 0 lines" in found["read"]
    assert node.run("diagnose")[1].startswith(f"{one['confidence']}: {one['cause']}\n")


def test_a_job_that_ran_out_of_memory(node: Commands, tmp_path: Path) -> None:
    row = ("77", "OUT_OF_MEMORY", "0:125", "a|b", "workers-1", "2026-11-23T08:00:00")
    (tmp_path / "sacct.txt").write_text(SACCT + "\x1f".join(row) + "\n")
    found = node.answer("diagnose", "job", "77", "--since=12h")
    assert signatures(found) == ["job-memory"]
    assert "sacct: 1 jobs" in found["read"]
    (asked,) = (argv for argv in node.ran if "--duplicates" in argv)
    assert {"--jobs=77", "--starttime=now-720minutes"} <= set(asked)


def test_accounting_that_fails_after_its_head_is_unknown(
    node: Commands, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """sacct prints the head of its table before it asks slurmdbd."""
    run = Probe.run

    def fail(probe: Probe, argv: list[str], seconds: float = 0) -> CommandResult:
        found = run(probe, argv, seconds)
        if "sacct" in argv:
            return CommandResult(1, found.stdout, "sacct: error: Connection refused")
        return found

    monkeypatch.setattr(Probe, "run", fail)
    found = node.answer("diagnose")
    (unknown,) = (one for one in found["unknown"] if one["what"] == "the jobs that ended")
    assert "Connection refused" in unknown["reason"]
    assert not [line for line in found["read"] if line.startswith("sacct")]


@pytest.mark.parametrize("state", ["SUSPENDED", "CONFIGURING"])
def test_job_that_waits_with_its_nodes_has_not_failed(
    node: Commands, tmp_path: Path, state: str
) -> None:
    row = ("77", state, "0:0", "a", "workers-1", "Unknown")
    (tmp_path / "sacct.txt").write_text(SACCT + "\x1f".join(row) + "\n")
    assert node.answer("diagnose", "job", "77")["findings"] == []


def test_the_output_of_a_job_is_read(node: Commands, tmp_path: Path) -> None:
    (tmp_path / "out.txt").write_text("torch.OutOfMemoryError: CUDA out of memory. x\n")
    shown(tmp_path, "77", "out.txt")
    ended(tmp_path, "77")
    found = node.answer("diagnose", "job", "77")
    assert f"{tmp_path}/out.txt: 1 lines" in found["read"]
    assert len(found["findings"]) == 1
    assert "memory" in found["findings"][0]["cause"]
    (asked,) = (argv for argv in node.ran if f"{tmp_path}/out.txt" in argv)
    assert asked[:5] == ["runuser", "-u", "ada", "--", "timeout"]


@pytest.mark.parametrize("asked", ["12_3", "12", "15", "4711"])
def test_the_output_is_that_of_the_job_that_slurm_names(
    node: Commands, tmp_path: Path, asked: str
) -> None:
    name = "train-job_2.log" if asked == "4711" else "slurm-12_3.out"
    (tmp_path / name).write_text("torch.OutOfMemoryError: CUDA out of memory. x\n")
    shown(tmp_path, "15", name)
    ended(tmp_path, asked)
    found = node.answer("diagnose", "job", asked)
    assert [one["evidence"][0]["source"] for one in found["findings"]] == [f"{tmp_path}/{name}"]


def test_an_output_that_is_no_file_is_unknown(node: Commands, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder/secret.log").write_text("torch.OutOfMemoryError: CUDA out of memory. x\n")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "binary").write_bytes(b"\x7fELF\0\1")
    for name in ("folder", "pipe", "none", "binary"):
        shown(tmp_path, "77", name)
        found = node.answer("diagnose", "job", "77")
        assert found["findings"] == []
        (part,) = (one for one in found["unknown"] if "the output" in one["what"])
        assert part["what"] == f"the output of job 77, {tmp_path}/{name}"
        no_file = "it does not exist, is no file, or may not be read"
        assert part["reason"] == ("no text" if name == "binary" else no_file)
        assert part["hint"] == "give a copy with --log FILE"


def test_an_output_that_slurm_does_not_name_is_unknown(
    node: Commands, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def part() -> tuple[str, str]:
        found = node.answer("diagnose", "job", "77")
        assert not any("output" in text for text in found["read"])
        (one,) = (one for one in found["unknown"] if one["what"] == "the output of job 77")
        return one["reason"], one["hint"]

    reason = "slurmctld names no file of it; sacct names none"
    assert part() == (reason, "give it with --log FILE")
    run = Probe.run

    def down(probe: Probe, argv: list[str], limit: float = 1) -> CommandResult:
        if "scontrol" in argv:
            return CommandResult(1, "", "Unable to contact slurm controller (connect failure)\n")
        if "--expand-patterns" in argv:
            return CommandResult(1, "", 'sacct: error: Invalid field requested: "StdErr"\n')
        return run(probe, argv, limit)

    monkeypatch.setattr(Probe, "run", down)
    assert part()[0] == (
        "Unable to contact slurm controller (connect failure); "
        'sacct: error: Invalid field requested: "StdErr"'
    )


def test_the_output_of_a_job_that_slurmctld_forgot_is_in_accounting(
    node: Commands, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "slurm-77.out").write_text("torch.OutOfMemoryError: CUDA out of memory. x\n")
    ended(tmp_path, "77")
    run = Probe.run

    def kept(probe: Probe, argv: list[str], limit: float = 1) -> CommandResult:
        if "--expand-patterns" in argv:
            rows = (("ada", str(tmp_path), "", "slurm-77.out"), ("", "/", "", ""))
            return CommandResult(0, "".join("\x1f".join(row) + "\n" for row in rows), "")
        return run(probe, argv, limit)

    monkeypatch.setattr(Probe, "run", kept)
    found = node.answer("diagnose", "job", "77")
    assert f"{tmp_path}/slurm-77.out: 1 lines" in found["read"]
    assert signatures(found) == ["gpu-memory"]
    (asked,) = (argv for argv in node.ran if f"{tmp_path}/slurm-77.out" in argv)
    assert asked[:5] == ["runuser", "-u", "ada", "--", "timeout"]


def test_this_node_is_found_by_its_address(node: Commands, tmp_path: Path) -> None:
    """AWS PCS: the host has EC2's name, and Slurm its own."""
    node.nodes = [slurm_node("login-1", address="10.0.0.7"), slurm_node("workers-1")]
    (tmp_path / "ip.txt").write_text("2: ens5    inet 10.0.0.7/24 brd 10.0.0.255 scope global\n")
    log = tmp_path / "root/var/log/slurm/slurmd.log"
    log.parent.mkdir(parents=True)
    log.write_text("[2999-11-23T08:00:00] error: Munge decode failed: Expired credential\n")
    found = node.answer("diagnose", "node", "login-1")
    assert found["findings"][0]["resources"] == ["login-1"]
    assert "the logs of login-1" not in [one["what"] for one in found["unknown"]]


def test_commands_that_follow_are_those_of_a_node(node: Commands, tmp_path: Path) -> None:
    log = tmp_path / "dmesg.txt"
    log.write_text("NVRM: Xid (PCI:0000:59:00): 79, pid=1, GPU has fallen off the bus.\n")
    found = node.answer("diagnose", "node", "workers-1", f"--log={log}")
    (one,) = found["findings"]
    commands = [line for line in one["next"] if "clusterwright" in line]
    assert commands
    for line in commands:
        is_here = line.startswith("sudo /usr/local/bin/clusterwright ")
        assert is_here is ("replace" not in line)
        assert ("FILE" in line) is ("replace" in line)


def test_a_name_that_nobody_knows_is_unknown(node: Commands) -> None:
    for words in (("node", "workers-9"), ("job", "4711")):
        found = node.answer("diagnose", *words)
        assert found["exit_code"] == 2
        assert f"the {' '.join(words)}" in [one["what"] for one in found["unknown"]]


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("node",), "not a question"),
        (("deploy", "x"), "not a question"),
        (("stack",), "not a question"),
        (("--log=a.log",), "--log a.log: the path is relative"),
        (("--sacct=/none",), "--sacct: /none cannot be read"),
        (("--since=1w",), "--since: '1w' is not a span"),
    ],
)
def test_wrong_use(node: Commands, words: tuple[str, ...], text: str) -> None:
    code, out, err = node.run("diagnose", *words)
    assert (code, out) == (3, "")
    assert text in err


def test_scripts_without_the_tables(commands: Commands, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "clusterwright_state.commands.diagnose", None)
    package = sys.modules["clusterwright_state.commands"]
    monkeypatch.delattr(package, "diagnose", raising=False)
    code, _, err = commands.run("diagnose")
    assert code == 2
    assert "this node's scripts have no tables of failures" in err
