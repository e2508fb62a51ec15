"""A node of the rehearsed cluster, as scenarios use it."""

from __future__ import annotations

import contextlib
import json
import shlex
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from clusterwright_rehearsal.nodes.machines import CommandResult, Machine, MachineDown, kill_group
from clusterwright_rehearsal.scenario_api.outcomes import Broken

_KILL_SERIES = Path(__file__).with_name("kill_series.py")
_KILL_TIMEOUT_S = 30.0
"""For one start of the program, on average."""


class NodeCluster(Protocol):
    """What a `Node` uses of its cluster."""

    @property
    def program(self) -> str:
        """The command that runs the lifecycle script on a node again."""

    def facts(self, name: str) -> dict[str, Any]:
        """The worker's description of a node, by its name or host name."""

    def machine(self, host: str, address: str) -> Machine:
        """The machine with a host name."""

    def slurm(self, command: str) -> str:
        """Standard output of a command on the controller, which must succeed."""


class Node:
    """One node of the cluster, by its name in the API (`workers-1`).

    The object stands for the position in the cluster, not for the instance: after a replacement
    the same object refers to the new instance.
    """

    def __init__(self, cluster: NodeCluster, facts: Mapping[str, Any]) -> None:
        self._cluster = cluster
        self._facts = dict(facts)

    def __repr__(self) -> str:
        return self.name

    @property
    def name(self) -> str:
        """The name in the API: group and number."""
        return str(self._facts["name"])

    @property
    def host(self) -> str:
        """The host name, which is also the node's name in Slurm."""
        return str(self._facts["host"])

    @property
    def group(self) -> str:
        """The instance group."""
        return str(self._facts["group"])

    @property
    def role(self) -> str:
        """`controller`, `login` or `compute`."""
        return str(self._facts["role"])

    @property
    def address(self) -> str:
        """The current IPv4 address; queried on each access.

        On HyperPod a replacement has the same address, on ParallelCluster another one.
        """
        return str(self._cluster.facts(self.name)["address"])

    @property
    def instance_id(self) -> str:
        """The id of the current instance; queried on each access."""
        return str(self._cluster.facts(self.name)["instance_id"])

    @property
    def is_up(self) -> bool:
        """Whether the machine is running."""
        return self._machine().is_up()

    def run(
        self,
        command: str,
        *,
        user: str = "root",
        timeout_s: float = 120.0,
        environment: Mapping[str, str] | None = None,
        stdin: str | None = None,
    ) -> CommandResult:
        """Run a bash command on the node. Raises `Broken` if the node is not running."""
        try:
            return self._machine().run(
                command, user=user, timeout_s=timeout_s, environment=environment, stdin=stdin
            )
        except MachineDown as error:
            raise Broken(error.message) from None

    def must(self, command: str, **options: Any) -> str:
        """Like `run`, but raise `Broken` unless it exits with 0; return its standard output."""
        result = self.run(command, **options)
        if not result.ok:
            raise Broken(
                f"on {self.name}, `{command}` exited with {result.returncode}:"
                f" {result.output_tail}"
            )
        return result.stdout

    def freeze(self) -> None:
        """Stop every process of the node at once, before its instance is terminated.

        Terminating takes longer than a step of a small job. Raises `RehearsalError` on a host
        without cgroup v2.
        """
        self._machine().freeze()

    def write(self, path: str, text: str, mode: int = 0o644) -> None:
        """Write a file on the node."""
        self._machine().write_files({path: text}, mode=mode)

    def slurm_state(self) -> str:
        """The state that sinfo shows, in lowercase: `idle`, `down*`, `drained`."""
        return self._cluster.slurm(f"sinfo -h -n {self.host} -o %T").split("\n")[0].strip().lower()

    # --- the node program

    def run_program(
        self, *, environment: Mapping[str, str] | None = None, timeout_s: float = 300.0
    ) -> ProgramRun:
        """Run the lifecycle script on the node again, as HyperPod ran it."""
        result = self.run(self._cluster.program, environment=environment, timeout_s=timeout_s)
        return ProgramRun(result.returncode, result.stdout, result.stderr, result.seconds)

    def kill_program_at(
        self, step: str, *, program: str | None = None, timeout_s: float = 300.0
    ) -> bool:
        """Start the lifecycle script and kill it (SIGKILL) as soon as it reports the start of
        `step`.

        Returns whether the step was reached. Processes that the step has started continue, as
        after a real kill. `program` is another command that runs the node program. Raises `Broken`
        if the node is not running.
        """
        machine = self._machine()
        try:
            process = machine.start(program or self._cluster.program, merge=True)
        except MachineDown as error:
            raise Broken(error.message) from None
        assert process.stdout is not None
        watchdog = threading.Timer(timeout_s, kill_group, [process])
        watchdog.start()
        reached = False
        for line in process.stdout:
            with contextlib.suppress(ValueError, AttributeError):
                event = json.loads(line)
                if event.get("event") == "start" and event.get("step") == step:
                    reached = True
                    kill_group(process)
        process.wait()
        watchdog.cancel()
        return reached

    def kill_program_at_each(
        self, steps: Sequence[str], *, folder: str, options: Sequence[str]
    ) -> list[str]:
        """Start the node program once for each step, and kill it (SIGKILL) at that step's start.

        Each run completes the step at which the one before it was killed. The program is in
        `folder`, and `options` are those of its entry script. Returns the steps that were not
        reached, each with the last line of its run. Processes that a step has started continue, as
        after a real kill. Raises `Broken` if the node is not running.
        """
        words = shlex.join(["python3", "-", json.dumps(list(steps)), *options])
        text = self.must(
            f"cd {shlex.quote(folder)} && exec {words}",
            stdin=_KILL_SERIES.read_text(encoding="utf-8"),
            timeout_s=_KILL_TIMEOUT_S * len(steps),
        )
        return [f"{step} ({last})" for step, last in json.loads(text)]

    def put_fault(self, name: str, text: str = "") -> None:
        """Add a fault to the emulated hardware: `gpu-lost`, `lnet-silent`, ..."""
        self.must("mkdir -p /run/emulation/faults")
        self.write(f"/run/emulation/faults/{name}", text + "\n")

    def remove_fault(self, name: str) -> None:
        """Remove a fault from the emulated hardware."""
        self.must(f"rm -f /run/emulation/faults/{name}")

    # Former name, for scenario files that use it.
    mend_fault = remove_fault

    def _machine(self) -> Machine:
        return self._cluster.machine(self.host, self.address)


@dataclass(frozen=True)
class ProgramRun:
    """One run of the node program, parsed from its JSON lines."""

    exit_code: int
    stdout: str
    stderr: str
    seconds: float

    @property
    def events(self) -> list[dict[str, Any]]:
        """Its JSON lines."""
        found = []
        for line in self.stdout.splitlines():
            with contextlib.suppress(ValueError):
                value = json.loads(line)
                if isinstance(value, dict):
                    found.append(value)
        return found

    @property
    def statuses(self) -> dict[str, str]:
        """Step → `applied`, `unchanged`, `skipped` or `failed`."""
        return {e["step"]: e["status"] for e in self.events if e.get("event") == "end"}

    @property
    def last_line(self) -> str:
        """The last line, which HyperPod shows in the failure message."""
        lines = self.stdout.strip().splitlines()
        return lines[-1] if lines else ""
