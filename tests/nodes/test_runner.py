"""The structure of a run: lines, journal, lock, deadlines, retries, last line."""

from __future__ import annotations

import io
import os
import signal
import time
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from clusterwright_node import main as main_module
from clusterwright_node import runner
from clusterwright_node.catalogue import Step, step_names
from clusterwright_node.errors import StepError
from clusterwright_node.log import LOG
from clusterwright_node.main import main
from clusterwright_node.node import APPLIES, SATISFIED, Node, Verdict, missing, skip

from tests.nodes.fake_machine import FakeMachine
from tests.nodes.world import Run, World


def made_step(name: str, **parts: Any) -> Step:
    """A step that is satisfied, unless `parts` say otherwise."""
    fields: dict[str, Any] = {
        "summary": name,
        "after": (),
        "deadline_seconds": 60.0,
        "retries": 0,
        "applies": lambda _: APPLIES,
        "check": lambda _: SATISFIED,
        "apply": lambda _: None,
    }
    return Step(name=name, **{**fields, **parts})


@pytest.fixture
def run_with(
    world: Callable[..., World], monkeypatch: pytest.MonkeyPatch
) -> Callable[[Sequence[Step]], Run]:
    """Run the program with other steps instead of the real ones."""
    node = world("login-1")

    def run(steps: Sequence[Step]) -> Run:
        monkeypatch.setattr(main_module, "load_steps", lambda: list(steps))
        return node.run()

    return run


def test_each_step_has_start_and_end_lines(world: Callable[..., World]) -> None:
    run = world("workers-1").run()
    starts = [row for row in run.lines if row["event"] == "start"]
    ends = [row for row in run.lines if row["event"] == "end"]
    assert [row["step"] for row in starts] == [row["step"] for row in ends]
    assert len(ends) == len(step_names())
    for row in starts:
        assert row["status"] == "started"
    for row in ends:
        assert set(row) == {
            "time", "event", "run", "node", "group", "step", "status", "seconds", "error", "hint",
        }  # fmt: skip
        assert row["status"] in ("applied", "unchanged", "skipped")
        assert isinstance(row["seconds"], float)
        if row["status"] == "skipped":
            assert row["hint"]
    assert run.lines[0]["event"] == "run_start"
    assert run.lines[-1]["event"] == "run_end"
    assert run.lines[-1]["cpu_seconds"] == 0.0
    assert len({row["run"] for row in run.lines}) == 1
    assert run.last == "clusterwright: workers-1 is ready"


def test_a_second_run_changes_nothing(world: Callable[..., World]) -> None:
    for name, configuration in (("workers-1", "managed"), ("controller-1", "scripted")):
        node = world(name, configuration)
        node.run()
        before = node.picture()
        run = node.run()
        assert run.code == 0
        assert set(run.statuses().values()) <= {"unchanged", "skipped"}
        assert run.machine.points == []
        assert node.picture() == before
        assert len(run.machine.ran) <= 45, "each command costs a process on a real node"


def test_first_failure_ends_the_run_and_names_the_remaining_steps(
    world: Callable[..., World],
) -> None:
    node = world("workers-1", efa_moves=[0])
    node.edit("deployment.json", lambda d: d.update(log_group_name="/acme/nodes"))
    run = node.run()
    assert run.code == 1
    assert list(run.statuses())[-1] == "efa_transport"
    end = run.lines[-1]
    assert (end["event"], end["status"], end["exit_code"]) == ("run_end", "failed", 1)
    assert end["steps"]["failed"] == 1
    assert {"scratch", "users", "motd"} <= set(end["not_run"])
    assert run.last.startswith("clusterwright: step efa_transport failed on workers-1: data to ")
    assert ". What to do: the security groups" in run.last
    assert run.last.endswith(f". Log: {LOG} on the node, log group /acme/nodes")
    assert "\n" not in run.last


def test_corrected_failure_continues_with_the_step(world: Callable[..., World]) -> None:
    node = world("workers-1", efa_moves=[0])
    node.run()
    node.change(efa_moves=[64])
    run = node.run()
    assert run.code == 0
    assert run.statuses()["lnet_efa"] == "unchanged"
    assert run.statuses()["efa_transport"] == "applied"


def test_apply_is_followed_by_another_check(run_with: Callable[..., Run]) -> None:
    run = run_with([made_step("a", check=lambda _: missing("it"), apply=lambda _: None)])
    assert run.code == 1
    assert (
        "step a failed on ip-10-1-0-20: still not satisfied after it was applied: it" in run.last
    )


def test_check_that_changes_the_machine_is_a_bug(run_with: Callable[..., Run]) -> None:
    def check(node: Node) -> Verdict:
        node.machine.remove("/etc/x")
        return SATISFIED

    run = run_with([made_step("a", check=check)])
    assert run.code == 70
    assert "a check must not change the machine: remove /etc/x" in run.last
    assert any(row["event"] == "bug" and "Traceback" in row["trace"] for row in run.lines)


def test_unreadable_file_is_a_failure(run_with: Callable[..., Run]) -> None:
    def check(node: Node) -> Verdict:
        raise PermissionError(13, "Permission denied", "/etc/shadow")

    run = run_with([made_step("a", check=check)])
    assert run.code == 1
    assert "Permission denied: '/etc/shadow'" in run.last


def test_temporary_failures_are_retried_with_increasing_pauses(
    run_with: Callable[..., Run],
) -> None:
    tries: list[float] = []

    def apply(node: Node) -> None:
        tries.append(node.machine.monotonic())
        if len(tries) < 4:
            raise StepError("not yet", "wait", transient=True)

    step = made_step(
        "a", retries=5, check=lambda _: SATISFIED if len(tries) >= 4 else missing("x"), apply=apply
    )
    run = run_with([step])
    assert run.statuses() == {"a": "applied"}
    assert tries == [0, 2, 6, 14]
    assert "attempt 1 of 6 failed, next in 2 s: not yet" in run.notices()


def test_permanent_failure_is_not_retried(run_with: Callable[..., Run]) -> None:
    tries: list[int] = []

    def apply(_: Node) -> None:
        tries.append(1)
        raise StepError("never", "give up")

    run = run_with([made_step("a", retries=5, check=lambda _: missing("x"), apply=apply)])
    assert run.code == 1
    assert len(tries) == 1


def test_retries_end_with_the_deadline(run_with: Callable[..., Run]) -> None:
    def apply(_: Node) -> None:
        raise StepError("not yet", "wait", transient=True)

    step = made_step(
        "a", retries=99, deadline_seconds=50.0, check=lambda _: missing("x"), apply=apply
    )
    run = run_with([step])
    assert run.code == 1
    assert run.end_of("a")["seconds"] <= 50


def test_skipped_step_has_a_reason(run_with: Callable[..., Run]) -> None:
    run = run_with([made_step("a", applies=lambda _: skip("no reason"))])
    assert run.end_of("a")["status"] == "skipped"
    assert run.end_of("a")["hint"] == "no reason"


def test_spec_changes_deadline_retries_and_use(
    world: Callable[..., World],
) -> None:
    node = world("login-1", unresolved=["s3.us-east-1.amazonaws.com"])
    node.edit("cluster.json", lambda c: c["node_steps"].update(network={"deadline_seconds": 7}))
    assert "not done after 7 s" in node.run().last
    node.edit("cluster.json", lambda c: c["node_steps"].update(network={"enabled": False}))
    run = node.run()
    assert run.code == 0
    assert run.end_of("network")["hint"] == "disabled by node_steps"
    node = world("login-1", passwd_locked_for=3)
    node.edit("cluster.json", lambda c: c["node_steps"].update(users={"retries": 0}))
    assert node.run().code == 1


def test_overdue_step_is_interrupted_by_a_signal(
    world: Callable[..., World], monkeypatch: pytest.MonkeyPatch
) -> None:
    node = world("login-1")
    step = made_step(
        "a", deadline_seconds=0.1, check=lambda _: missing("x"), apply=lambda _: time.sleep(60)
    )
    monkeypatch.setattr(main_module, "load_steps", lambda: [step])
    stream = io.StringIO()
    arguments = ["--configuration", "managed", "--inputs", str(node.folder / "inputs")]
    began = time.monotonic()
    assert main(arguments, machine=FakeMachine(node.folder), stream=stream) == 1
    assert time.monotonic() - began < 10
    assert "not done after 0.1 s: the step was still running" in stream.getvalue()
    assert signal.getsignal(signal.SIGALRM) == signal.SIG_DFL, "put back"


def test_step_that_ignores_the_signal_is_abandoned(
    world: Callable[..., World], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file system that hangs in the kernel must not hide the failure from SageMaker."""
    node = world("login-1")

    def hang(_: Node) -> None:
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})
        time.sleep(60)

    step = made_step("a", deadline_seconds=0.1, check=lambda _: missing("x"), apply=hang)
    monkeypatch.setattr(main_module, "load_steps", lambda: [step])
    monkeypatch.setattr(runner, "_WATCHDOG_GRACE_SECONDS", 0.2)
    output = node.folder / "output"
    child = os.fork()
    if child == 0:
        try:
            with output.open("w") as stream:
                arguments = ["--configuration", "managed", "--inputs", str(node.folder / "inputs")]
                main(arguments, machine=FakeMachine(node.folder), stream=stream)
        finally:
            os._exit(99)
    _, status = os.waitpid(child, 0)
    assert os.WEXITSTATUS(status) == 1
    last = output.read_text().splitlines()[-1]
    assert last.startswith(
        "clusterwright: step a failed on ip-10-1-0-20: has been blocked in the kernel"
    )
