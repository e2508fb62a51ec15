"""Run the steps in order: check, apply if something is missing, check again.

Each step gets one line when it starts and one when it ends. The first failure ends the run.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Callable

from clusterwright_node.catalogue import Step
from clusterwright_node.contract import StepSettings
from clusterwright_node.errors import NodeError, Overtime, StepError
from clusterwright_node.log import Log
from clusterwright_node.node import Node

_WATCHDOG_GRACE_SECONDS = 30.0
_FIRST_PAUSE_SECONDS = 2.0
_LONGEST_PAUSE_SECONDS = 30.0


@dataclass(frozen=True)
class Outcome:
    """The result of a step. `status`: applied, unchanged, skipped or failed."""

    step: str
    status: str
    seconds: float
    error: str | None = None
    hint: str | None = None
    is_bug: bool = False


def run_steps(
    node: Node,
    steps: Sequence[Step],
    log: Log,
    report_stuck: Callable[[str, float], None],
    use_alarm: bool = True,
) -> list[Outcome]:
    """Run `steps` and return the results of those that were started; a failed one is the last.

    `report_stuck(step, seconds)` is called from another thread if a step hangs in the kernel,
    where no signal reaches it, and does not return.
    """
    outcomes = []
    for step in steps:
        settings = node.inputs.cluster.node_steps.get(step.name)
        outcome = _run_step(node, step, settings, log, report_stuck, use_alarm)
        outcomes.append(outcome)
        log.event(
            "end",
            step=step.name,
            status=outcome.status,
            seconds=round(outcome.seconds, 3),
            error=outcome.error,
            hint=outcome.hint,
        )
        if outcome.status == "failed":
            break
    return outcomes


def _run_step(
    node: Node,
    step: Step,
    settings: StepSettings | None,
    log: Log,
    report_stuck: Callable[[str, float], None],
    use_alarm: bool,
) -> Outcome:
    deadline_seconds = step.deadline_seconds
    retries = step.retries
    if settings is not None:
        deadline_seconds = float(settings.deadline_seconds or deadline_seconds)
        retries = retries if settings.retries is None else settings.retries
    began = node.machine.monotonic()

    def ended(
        status: str, error: str | None = None, hint: str | None = None, bug: bool = False
    ) -> Outcome:
        return Outcome(step.name, status, node.machine.monotonic() - began, error, hint, bug)

    log.event("start", step=step.name, status="started")
    if settings is not None and not settings.enabled:
        return ended("skipped", hint="disabled by node_steps")
    node.enter_step(step.name, deadline_seconds)
    try:
        with (
            node.machine.limited(deadline_seconds),
            _bounded(step, deadline_seconds, report_stuck, use_alarm),
        ):
            return _settle(node, step, retries, ended)
    except NodeError as error:
        return ended("failed", error.cause, error.hint)
    except OSError as error:
        return ended(
            "failed", f"{type(error).__name__}: {error}", "check what locks or protects that file"
        )
    except Exception as error:  # noqa: BLE001 - a bug in a step is the failure of that step
        log.event("bug", step=step.name, trace=traceback.format_exc())
        if step.is_site:
            return ended("failed", f"an error in your step: {error!r}", "see its trace in the log")
        return ended(
            "failed",
            f"internal error of the node program: {error!r}",
            "report it with the trace in the log",
            bug=True,
        )


def _settle(node: Node, step: Step, retries: int, ended: Callable[..., Outcome]) -> Outcome:
    with node.machine.observing():
        applies = step.applies(node)
        if not applies.yes:
            return ended("skipped", hint=applies.reason)
        found = step.check(node)
    if found.yes:
        if node.journal.interrupted_step == step.name:
            node.journal.end_step()
        return ended("unchanged")
    node.journal.begin_step(step.name)
    _apply(node, step, retries)
    with node.machine.observing():
        left = step.check(node)
    if not left.yes:
        raise StepError(
            f"still not satisfied after it was applied: {left.reason}",
            f"something else reverts it, or it is an internal error; before: {found.reason}",
        )
    node.journal.end_step()
    return ended("applied")


def _apply(node: Node, step: Step, retries: int) -> None:
    pause = _FIRST_PAUSE_SECONDS
    for attempt in range(retries + 1):
        try:
            step.apply(node)
            return
        except StepError as error:
            if not error.transient or attempt == retries or node.seconds_left() <= pause:
                raise
            node.notice(
                f"attempt {attempt + 1} of {retries + 1} failed, next in {pause:g} s: "
                f"{error.cause}"
            )
        node.machine.sleep(pause)
        pause = min(2 * pause, _LONGEST_PAUSE_SECONDS)


@contextlib.contextmanager
def _bounded(
    step: Step, seconds: float, report_stuck: Callable[[str, float], None], use_alarm: bool
) -> Iterator[None]:
    """End the step at its deadline: by a signal, or if the step hangs in the kernel, by ending
    the program.
    """
    if not use_alarm:
        yield
        return

    def ring(_signal: int, _frame: object) -> None:
        raise Overtime(
            seconds, "the step was still running", "see the last lines of the log and dmesg"
        )

    # The waits of a step end at the deadline themselves with a better message, so the alarm is a
    # little later.
    previous = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds + 1.0)
    watchdog = threading.Timer(
        seconds + _WATCHDOG_GRACE_SECONDS, report_stuck, (step.name, seconds)
    )
    watchdog.daemon = True
    watchdog.start()
    try:
        yield
    finally:
        watchdog.cancel()
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, previous)


def leave_stuck(
    log: Log, last_words: Callable[[str, str, str], str]
) -> Callable[[str, float], None]:
    """Report the step that hangs and end the program at once."""

    def report(step: str, seconds: float) -> None:
        cause = f"has been blocked in the kernel since its deadline of {seconds:g} s"
        hint = "a mounted file system does not respond; see dmesg, then replace the node"
        log.event("end", step=step, status="failed", seconds=seconds, error=cause, hint=hint)
        log.last_words(last_words(step, cause, hint))
        os._exit(1)

    return report
