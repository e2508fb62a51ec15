"""The command line of the node program, and the phases of a run.

Exit codes: 0 the node is ready; 1 a step failed; 3 the command line or the input files are
invalid; 70 a bug of this program. The last line of a failed run has the step, the cause and what
to do.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import traceback
from collections.abc import Sequence
from typing import TextIO

from clusterwright_node import inputs as inputs_module
from clusterwright_node.catalogue import load_steps, step_names
from clusterwright_node.contract import CONFIGURATIONS, PARALLELCLUSTER, PCS
from clusterwright_node.errors import InputsError, NodeError
from clusterwright_node.inputs import Inputs, load_inputs
from clusterwright_node.journal import Journal
from clusterwright_node.lock import exclusive
from clusterwright_node.log import LOG, Log
from clusterwright_node.machine import Machine
from clusterwright_node.node import Node
from clusterwright_node.runner import Outcome, leave_stuck, run_steps

SUCCESS, FAILED, INVALID, BUG = 0, 1, 3, 70
ALWAYS = ("identify", "verify_inputs", "not_built")
"""The steps that every run begins with."""
_LOCK_WAIT_SECONDS = 1800.0


def main(
    argv: Sequence[str],
    machine: Machine | None = None,
    stream: TextIO | None = None,
    use_alarm: bool = True,
) -> int:
    """Run the program and return its exit code. `machine`, `stream` and `use_alarm` are for
    tests.
    """
    try:
        options = _parser().parse_args(argv)
    except SystemExit as error:
        return SUCCESS if error.code in (0, None) else INVALID
    if not options.list and not (options.configuration and options.inputs):
        sys.stderr.write("--configuration and --inputs are required\n")
        return INVALID
    unknown = sorted(set(options.only) - set(step_names()))
    if unknown:
        sys.stderr.write("unknown step: {}\n".format(", ".join(unknown)))
        return INVALID
    machine = machine or Machine(options.root)
    stream = stream or sys.stdout
    if options.list:
        for step in load_steps():
            stream.write(f"{step.name:<16} {step.summary}\n")
        return SUCCESS
    if options.root == "/" and not machine.is_root():
        stream.write("clusterwright: step start failed: not root. What to do: run it with sudo\n")
        return INVALID
    log = Log(machine, stream, run=f"{machine.timestamp()}-{os.getpid()}")
    try:
        return _Run(
            machine, log, options.configuration, use_alarm, options.only, options.group
        ).run(options.inputs, options.lock_wait_seconds)
    except Exception as error:  # noqa: BLE001 - the last line also reports bugs
        log.event("bug", step="start", trace=traceback.format_exc())
        log.last_words(
            _last_words(
                "start",
                f"internal error of the node program: {error!r}",
                "report it with the trace",
            )
        )
        return BUG
    finally:
        log.close()


class _Run:
    def __init__(
        self,
        machine: Machine,
        log: Log,
        configuration: str,
        use_alarm: bool,
        only: Sequence[str] = (),
        groups: Sequence[str] = (),
    ) -> None:
        self._groups = groups
        self._only = {*ALWAYS, *only} if only else None
        self._machine = machine
        self._log = log
        self._configuration = configuration
        self._use_alarm = use_alarm
        self._log_group: str | None = None
        # A shell that became this program has used CPU time, and so has its download.
        self._cpu_before = machine.cpu_seconds()

    def run(self, folder: str, lock_wait_seconds: float) -> int:
        began = self._machine.monotonic()
        self._log.event(
            "run_start",
            configuration=self._configuration,
            inputs=folder,
            python=platform.python_version(),
            pid=os.getpid(),
        )
        try:
            inputs = load_inputs(
                self._machine,
                folder,
                self._resource_config(),
                step_names(),
                self._configuration,
                self._groups,
            )
        except InputsError as error:
            for problem in error.problems:
                self._log.event("problem", step="verify_inputs", error=problem)
            return self._end(began, [_failure("verify_inputs", error)], INVALID)
        self._log_group = inputs.deployment.log_group_name
        if self._log_group is None and inputs.here is not None:
            self._log_group = inputs.here.log_group_name
        try:
            with exclusive(self._machine, lock_wait_seconds):
                return self._steps(inputs, began)
        except NodeError as error:
            return self._end(began, [_failure("lock", error)], FAILED)

    def _steps(self, inputs: Inputs, began: float) -> int:
        journal = Journal(self._machine)
        node = Node(self._machine, inputs, self._configuration, journal, self._log)
        for remark in journal.remarks:
            self._log.event("notice", step="start", text=remark)
        if journal.interrupted_step is not None:
            step = journal.interrupted_step
            text = f"an earlier run ended inside the step {step}; it is resumed"
            self._log.event("notice", step="start", text=text)
        steps = [step for step in load_steps() if self._only is None or step.name in self._only]
        stuck = leave_stuck(self._log, self._words)
        outcomes = run_steps(node, steps, self._log, stuck, self._use_alarm)
        not_run = [step.name for step in steps[len(outcomes) :]]
        code = SUCCESS
        if outcomes[-1].status == "failed":
            code = BUG if outcomes[-1].is_bug else FAILED
            code = INVALID if outcomes[-1].step == "verify_inputs" else code
        return self._end(began, outcomes, code, not_run, inputs.digest)

    def _end(
        self,
        began: float,
        outcomes: Sequence[Outcome],
        code: int,
        not_run: Sequence[str] = (),
        digest: str = "",
    ) -> int:
        counts = {
            status: sum(outcome.status == status for outcome in outcomes)
            for status in ("applied", "unchanged", "skipped", "failed")
        }
        self._log.event(
            "run_end",
            status="succeeded" if code == SUCCESS else "failed",
            seconds=round(self._machine.monotonic() - began, 3),
            cpu_seconds=round(self._machine.cpu_seconds() - self._cpu_before, 3),
            steps=counts,
            not_run=list(not_run),
            inputs_sha256=digest or None,
            exit_code=code,
        )
        if code == SUCCESS:
            self._log.last_words(f"clusterwright: {self._log.node} is ready")
        else:
            last = outcomes[-1]
            words = self._words(last.step, last.error or "", last.hint or "")
            self._log.last_words(words)
            if self._configuration in (PARALLELCLUSTER, PCS):
                # ParallelCluster's event has only what the script wrote to stderr
                # (cookbook, custom_action_executor.py: `stderr` of the event).
                sys.stderr.write(words + "\n")
        return code

    def _words(self, step: str, cause: str, hint: str) -> str:
        where = f"{LOG} on the node"
        if self._log_group:
            where += f", log group {self._log_group}"
        return _last_words(step, cause, hint, self._log.node, where)

    def _resource_config(self) -> str:
        path = os.environ.get("SAGEMAKER_RESOURCE_CONFIG_PATH", "")
        return path if path.startswith("/") else inputs_module.RESOURCE_CONFIG


def _failure(step: str, error: NodeError) -> Outcome:
    return Outcome(step, "failed", 0.0, error.cause, error.hint)


def _last_words(step: str, cause: str, hint: str, node: str = "", where: str = "") -> str:
    text = "clusterwright: step {} failed{}: {}. What to do: {}".format(
        step,
        " on " + node if node else "",
        " ".join(cause.split()).rstrip("."),
        " ".join(hint.split()).rstrip("."),
    )
    return text + (". Log: " + where if where else "")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python3 -m clusterwright_node",
        description="Configure this node as described in cluster.json and deployment.json.",
    )
    parser.add_argument("--configuration", choices=CONFIGURATIONS)
    parser.add_argument("--inputs", metavar="DIR", help="folder of cluster.json")
    parser.add_argument(
        "--group",
        metavar="WORD",
        action="append",
        default=[],
        help="parallelcluster and pcs: this node's group; parallelcluster also"
        " COMPUTE-RESOURCE=GROUP for each of its queue",
    )
    parser.add_argument(
        "--root", metavar="DIR", default="/", help="for tests: the machine's files are below DIR"
    )
    parser.add_argument(
        "--lock-wait-seconds",
        metavar="N",
        type=float,
        default=_LOCK_WAIT_SECONDS,
        help="how long to wait for another run to end (default %(default)g)",
    )
    parser.add_argument(
        "--only",
        metavar="STEP",
        action="append",
        default=[],
        help="run this step and those that every run begins with; may be repeated",
    )
    parser.add_argument(
        "--list", action="store_true", help="list the steps in their order and do nothing"
    )
    return parser
