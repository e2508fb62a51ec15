"""The demo's shell shows its commands, checks their results, and leaves no process running."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from demo.shell import ROOT, Shell, StepFailed


@pytest.fixture
def shell() -> Shell:
    return Shell()


def test_command_output_and_exit_code_are_shown(
    shell: Shell, capsys: pytest.CaptureFixture[str]
) -> None:
    output = shell.run("python -c 'print(\"hello\"); exit(3)'", exit_code=3)
    assert output == "hello\n"
    printed = capsys.readouterr().out
    assert printed.startswith(
        "\n$ python -c 'print(\"hello\"); exit(3)'\nhello\n# exit code 3, as expected, "
    )


def test_unexpected_exit_code_fails_the_step(shell: Shell) -> None:
    with pytest.raises(StepFailed, match="exited with 1, not with 0"):
        shell.run("python -c 'exit(1)'")


def test_missing_text_fails_the_step(shell: Shell) -> None:
    with pytest.raises(StepFailed, match="did not print '6 nodes'"):
        shell.run("echo 4 nodes", contains=["6 nodes"])


def test_cloudformation_events_are_counted_and_not_shown(
    shell: Shell, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    log = tmp_path / "log"
    log.write_text(
        "dev-network | 0/9 | 1:02:03 | CREATE_IN_PROGRESS   | AWS::EC2::VPC | Network\n"
        "dev-network | 1/9 | 1:02:04 | CREATE_COMPLETE      | AWS::EC2::VPC | Network\n"
        "dev-network: done\n"
    )
    shell.run(f"cat {log}", contains=["CREATE_COMPLETE"])
    printed = capsys.readouterr().out
    assert "IN_PROGRESS" not in printed
    assert "dev-network: done\n" in printed
    assert "2 lines of progress not shown" in printed


def test_long_outputs_are_shortened_and_complete_in_the_log(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    log = tmp_path / "demo.log"
    with _unchanged_signals(), Shell(log) as shell:
        shell.run("seq 1 100", contains=["55"])
        assert shell.commands == 1
    lines = capsys.readouterr().out.splitlines()
    head, tail = [str(n) for n in range(1, 7)], [str(n) for n in range(95, 101)]
    assert lines[:-1] == ["", "$ seq 1 100", *head, "  ...", "55", "  ...", *tail]
    assert lines[-1].endswith(" s, 87 more lines in the log")
    complete = log.read_text().splitlines()
    assert complete[:-1] == ["", "$ seq 1 100", *(str(n) for n in range(1, 101))]


def test_account_variables_are_not_inherited(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("AWS_PROFILE", "production")
    monkeypatch.setenv("AWS_ENDPOINT_URL_S3", "https://s3.example")
    shell = Shell()
    shell.export(AWS_ENDPOINT_URL="http://localhost:1")
    printed = shell.run("env", environment={"EXTRA": "a b"})
    assert "AWS_ENDPOINT_URL=http://localhost:1\n" in printed
    assert "EXTRA=a b\n" in printed
    assert "production" not in printed
    assert "s3.example" not in printed
    assert "$ EXTRA='a b' env\n" in capsys.readouterr().out


def test_server_that_does_not_become_ready_fails_the_step() -> None:
    with (
        pytest.raises(StepFailed, match="did not become ready"),
        _unchanged_signals(),
        Shell() as s,
    ):
        s.serve("echo error: port 1 is in use")


def test_server_with_a_nonzero_exit_code_fails_the_step() -> None:
    with _unchanged_signals(), Shell() as shell:
        server = shell.serve(
            "python -u -c 'import time; print(\"ready http://localhost:1\"); time.sleep(60)'"
        )
        with pytest.raises(StepFailed, match="exited with -15 when it was ended"):
            shell.stop(server)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interruption_ends_servers_commands_and_their_children(
    number: signal.Signals, tmp_path: Path
) -> None:
    script = tmp_path / "demo_steps.py"
    pids = tmp_path / "pids"
    script.write_text(
        f"""\
import demo.__main__, sys
def run_demo(shell, folder):
    shell.serve("sh -c 'echo ready http://localhost:1; echo $$ >> {pids}; sleep 60; :'")
    shell.run("sh -c 'sleep 60 & echo $! >> {pids}; echo $$ >> {pids}; wait'")
demo.__main__.hyperpod_slurm.run_demo = run_demo
sys.exit(demo.__main__.main())
"""
    )
    process = subprocess.Popen(
        [sys.executable, os.fspath(script)],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": os.fspath(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
        # A suite in the background ignores interrupts, and so do its children.
        preexec_fn=_take_interrupts,  # noqa: PLW1509 - no thread is running
    )
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline and (not pids.exists() or len(pids.read_text().split()) < 3):
        time.sleep(0.05)
    process.send_signal(number)
    output, _ = process.communicate(timeout=30)
    assert process.returncode == 130, output
    assert "demo: interrupted; all started processes have been ended" in output
    for pid in pids.read_text().split():
        assert not _is_running(int(pid)), f"process {pid} is still there:\n{output}"


def _take_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def _is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


class _unchanged_signals:  # noqa: N801 - reads as a statement
    """Shell ignores signals at its end, because its program ends too; tests continue."""

    def __enter__(self) -> None:
        self._before = {n: signal.getsignal(n) for n in (signal.SIGINT, signal.SIGTERM)}

    def __exit__(self, *error: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
