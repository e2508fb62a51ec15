"""Files and commands of a machine, read within a deadline."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest
from clusterwright_common.probe import CommandResult, Probe, ProbeError

SLEEPER = (sys.executable, "-S", "-c", "import time; time.sleep(60)")


@pytest.fixture
def probe(tmp_path: Path) -> Probe:
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc" / "value").write_text("7\n")
    return Probe(str(tmp_path))


def test_files_below_the_root(probe: Probe) -> None:
    assert probe.read("/proc/value") == "7\n"
    assert probe.read("/proc/missing") is None
    assert probe.names("/proc") == ["value"]
    assert probe.names("/missing") == []
    assert probe.exists("/proc/value")
    assert probe.is_folder("/proc")
    assert not probe.is_folder("/proc/value")


def test_a_command_and_its_result(probe: Probe) -> None:
    result = probe.run(["sh", "-c", "echo out; echo first >&2; echo last >&2; exit 3"])
    assert result == CommandResult(3, "out\n", "first\nlast\n")
    assert (result.ok, result.summary) == (False, "last")
    assert probe.has("sh")
    assert not probe.has("no-such-program")


@pytest.mark.parametrize(
    ("result", "summary"),
    [
        (CommandResult(None, "", ""), "no response in time"),
        (CommandResult(0, "a\nb\n", ""), "b"),
        (CommandResult(2, "", ""), "exit code 2"),
        (CommandResult(1, "", "x" * 200), "x" * 120),
    ],
)
def test_summaries(result: CommandResult, summary: str) -> None:
    assert result.summary == summary


def test_a_command_that_hangs_is_killed(probe: Probe) -> None:
    began = time.monotonic()
    result = probe.run(SLEEPER, timeout_seconds=0.1)
    assert result.exit_code is None
    assert "did not respond within 0.1 s" in result.stderr
    assert time.monotonic() - began < 10


def test_a_command_may_be_asked_to_end_first(probe: Probe, tmp_path: Path) -> None:
    script = f"trap 'echo ended >{tmp_path}/ended; exit' TERM; sleep 60 & wait"
    assert probe.run(["sh", "-c", script], 0.3, ending_seconds=10.0).exit_code is None
    assert (tmp_path / "ended").read_text() == "ended\n"


@pytest.mark.parametrize("trap", ["exit", ""])
def test_what_a_command_printed_before_it_was_asked_to_end_is_kept(
    probe: Probe, trap: str
) -> None:
    script = f"echo first; trap '{trap}' TERM; sleep 60 & while :; do wait; done"
    result = probe.run(["sh", "-c", script], 0.3, ending_seconds=0.3)
    assert (result.exit_code, result.stdout) == (None, "first\n")


def test_a_command_that_does_not_end_is_killed_at_last(probe: Probe) -> None:
    began = time.monotonic()
    script = "trap '' TERM; while :; do sleep 1; done"
    assert probe.run(["sh", "-c", script], 0.2, ending_seconds=0.2).exit_code is None
    assert time.monotonic() - began < 10


def test_after_the_deadline_nothing_is_started(tmp_path: Path) -> None:
    probe = Probe(str(tmp_path), deadline_seconds=0)
    result = probe.run(["sh", "-c", f"touch {tmp_path}/started"])
    assert result == CommandResult(None, "", "no time is left for sh")
    assert not (tmp_path / "started").exists()


def test_a_program_that_is_not_installed(probe: Probe) -> None:
    assert probe.run(["no-such-program"]).exit_code == 127


def test_output_of_a_command(probe: Probe) -> None:
    assert probe.output(["echo", "a"]) == "a\n"
    with pytest.raises(ProbeError, match=r"^sh exited 4: wrong$"):
        probe.output(["sh", "-c", "echo wrong >&2; exit 4"])
    with pytest.raises(ProbeError, match=r"^sh exited 4: no output$"):
        probe.output(["sh", "-c", "exit 4"])
    with pytest.raises(ProbeError, match=r"did not respond within"):
        probe.output(SLEEPER, timeout_seconds=0.1)


@pytest.mark.parametrize("is_remote", [False, True])
def test_space_of_a_file_system(probe: Probe, is_remote: bool) -> None:
    found = probe.space("/proc", is_remote=is_remote)
    assert found is not None
    assert 0 <= found.available_bytes <= found.size_bytes
    assert probe.space("/missing", is_remote=is_remote) is None


def test_probe_with_other_time_has_the_same_machine(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("text")
    spent = Probe(str(tmp_path), 0.0)
    assert spent.run(["true"]).exit_code is None
    fresh = spent.with_time(10.0)
    assert fresh.run(["true"]).ok
    assert fresh.read("/file") == "text"
