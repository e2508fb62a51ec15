"""Start a program on several nodes: with Slurm, or in tests with something else."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Optional, Protocol

from clusterwright_common import scontrol, waiting
from clusterwright_common.probe import Probe

LIBRARY = "/opt/clusterwright/lib"
"""Where the node program installs this package (`clusterwright_node.programs.FOLDER`)."""
ENDING_SECONDS = 45.0
"""For a job that did not end in time: Slurm's KillWait is 30 s."""
PMIX_FENCE = ("SLURM_PMIX_FENCE", "ring")
"""With Slurm's default fence, and with `tree`, a rank leaves MPI_Init while others are in it, and
Open MPI 5 crashes there when a message arrives (open-mpi/ompi#12495; Slurm 24.11.5 with Open MPI
5.0.7 on busy processors: 63 of 530 starts on four nodes, and none of 280 with the ring).
"""
NOTICED_SECONDS = 90.0
"""In which a node whose step is gone is seen to be down, or back."""
_BUSY = "Requested nodes are busy"
_LOST = re.compile(
    r"(?:Node failure on|nodes? failed?:|Communication connection failure on) (\S+)"
)
_STEP_LOST = re.compile(r"step missing|missing step|Timed out waiting for job step")
_ENDED = re.compile(r"\btasks? [\[\]\d,-]+: Exited with exit code")
_LABEL = re.compile(r"\s*\d+: ")
_MESSAGE_BYTES = 1024
_TASK = re.compile(r"^\s*\d+: |\btasks? [\[\]\d,-]+: ", re.MULTILINE)


def whole_lines(output: str) -> str:
    """The output of `srun --label` with the pieces of each line joined.

    A line of 1,024 bytes and more comes in pieces of that size, each with a newline and a label,
    and other tasks may write in between (slurmstepd's `io.c` and `write_labelled_message.c`,
    Slurm 24.11.5). A whole line is shorter. A piece with a part of a character is longer when
    that is replaced.
    """
    lines: list[str] = []
    unfinished: dict[str, int] = {}
    for line in output.split("\n"):
        match = _LABEL.match(line)
        label = match.group() if match else ""
        body = line[len(label) :]
        at = unfinished.pop(label, None)
        if at is None:
            at = len(lines)
            lines.append(line)
        else:
            lines[at] += body
        if label and len(body.encode()) >= _MESSAGE_BYTES:
            unfinished[label] = at
    return "\n".join(lines)


@dataclass(frozen=True)
class Launched:
    """The end of a job. `lost` nodes stopped.

    `exit_code` is None if it did not end in time; `stdout` may then have what came until then.
    """

    exit_code: Optional[int]
    stdout: str
    stderr: str
    lost: tuple[str, ...] = ()

    @property
    def output(self) -> str:
        return f"{self.stdout}\n{self.stderr}"

    @property
    def started(self) -> bool:
        """Whether a task ran: srun labels its output, and names the tasks that failed."""
        return not self.exit_code or bool(_TASK.search(self.output))

    @property
    def busy(self) -> bool:
        """Whether the nodes did not become free for the job."""
        return not self.started and _BUSY in self.output


@dataclass(frozen=True)
class NodeResources:
    """What jobs can have of a node in Slurm: CPUs, and accelerators such as `gpu:8`."""

    cpus: int = 0
    gres: str = ""


class Launcher(Protocol):
    """What the tests of several nodes need."""

    def run(
        self,
        nodes: Sequence[str],
        argv: Sequence[str],
        *,
        tasks_per_node: int,
        timeout_seconds: float,
        env: Mapping[str, str],
    ) -> Launched:
        """Run the program on every node, and wait for it."""


@dataclass
class SrunLauncher:
    """Slurm's srun. `reserved` has the reservations of nodes; `mpi` is the plug-in of nccl-tests'
    MPI.

    With --exclusive the job gets the whole node, but its step only what is requested: one CPU and
    no GPU, which `ConstrainDevices` would hide from the checks (seen with Slurm 24.11.5). So the
    CPUs, the accelerators and the memory in `resources` are requested. The limits of this process,
    a service, are not those of users' jobs: those of slurmd apply. systemd gives root's services
    no HOME, without which Open MPI does not start (seen with 5.0.7).
    """

    probe: Probe
    reserved: Mapping[str, str] = field(default_factory=dict)
    mpi: str = "pmix"
    job_name: str = waiting.ACCEPTANCE_JOB
    extra: tuple[str, ...] = field(default=())
    resources: Mapping[str, NodeResources] = field(default_factory=dict)

    def argv(
        self,
        nodes: Sequence[str],
        argv: Sequence[str],
        tasks_per_node: int,
        timeout_seconds: float,
        env: Mapping[str, str],
    ) -> list[str]:
        """The command line. The job ends itself one minute after the time that we wait."""
        minutes = int(timeout_seconds // 60) + 2
        # A job is in one reservation: the program does not mix nodes of several.
        reservation = self.reserved.get(nodes[0])
        # Not with --export, which ends a value at a comma.
        more = {} if "HOME" in os.environ else {"HOME": str(Path.home())}
        words = [f"{key}={value}" for key, value in sorted({**more, **env}.items())]
        return [
            "srun",
            f"--job-name={self.job_name}",
            f"--nodes={len(nodes)}",
            f"--nodelist={','.join(nodes)}",
            f"--ntasks-per-node={tasks_per_node}",
            "--exclusive",
            "--mem=0",
            *self._requested(nodes, tasks_per_node),
            "--propagate=NONE",
            "--label",
            "--kill-on-bad-exit=1",
            "--immediate=60",
            f"--time={minutes}",
            *([f"--reservation={reservation}"] if reservation else []),
            *([f"--mpi={self.mpi}"] if tasks_per_node > 1 or len(nodes) > 1 else []),
            *self.extra,
            *(["env", *words] if words else []),
            *argv,
        ]

    def cancel_left(self) -> None:
        """Cancel jobs that a killed run has left: their nodes are busy until then."""
        self.probe.run(self._cancel(), 30.0)

    def _cancel(self, *more: str) -> list[str]:
        return [
            "scancel", "--quiet", f"--user={os.getuid()}", f"--name={self.job_name}", *more
        ]  # fmt: skip

    def _requested(self, nodes: Sequence[str], tasks_per_node: int) -> list[str]:
        found = [self.resources.get(node, NodeResources()) for node in nodes]
        each = min(one.cpus for one in found) // tasks_per_node
        # Slurm allocates whole cores: an odd number of threads would be one more.
        each -= each % 2 if each > 1 else 0
        gres = {one.gres for one in found}
        words = [f"--cpus-per-task={each}"] if each else []
        return words + ([f"--gres={gres.pop()}"] if len(gres) == 1 and "" not in gres else [])

    def run(
        self,
        nodes: Sequence[str],
        argv: Sequence[str],
        *,
        tasks_per_node: int,
        timeout_seconds: float,
        env: Mapping[str, str],
    ) -> Launched:
        command = ["env", "=".join(PMIX_FENCE)]
        command += self.argv(nodes, argv, tasks_per_node, timeout_seconds, env)
        began = time.strftime("%Y-%m-%dT%H:%M:%S")
        result = self.probe.run(command, timeout_seconds, ENDING_SECONDS)
        if result.exit_code is None:
            # srun cancels its job when it is asked to end, unless it was killed before.
            words = self._cancel("--state=RUNNING", f"--nodelist={','.join(nodes)}")
            self.probe.with_time(30.0).run(words, 30.0)
        lost = () if result.ok else self._lost(nodes, result.stderr, began)
        ends = time.monotonic() + NOTICED_SECONDS
        # The step is gone, and which node took it shows when its slurmd registers again.
        while not lost and _STEP_LOST.search(result.stderr) and time.monotonic() < ends:
            time.sleep(2.0)
            lost = self._lost(nodes, result.stderr, began)
        stdout, stderr = whole_lines(result.stdout), whole_lines(result.stderr)
        return Launched(result.exit_code, stdout, stderr, lost)

    def _lost(self, nodes: Sequence[str], stderr: str, began: str) -> tuple[str, ...]:
        """Nodes that srun or Slurm reports as failed, or that have booted since.

        Where a node is replaced before slurmctld misses it, as on AWS PCS within seconds, srun
        says "step missing", or only that it timed out (seen with Slurm 24.11.5). Where tasks have
        ended by themselves, a start of slurmd alone, as after an update, is none of a node.
        """
        named = {name.strip(",.") for name in _LOST.findall(stderr)}
        times = ["BootTime"] if _ENDED.search(stderr) else ["BootTime", "SlurmdStartTime"]
        named |= self._since(times, nodes, began)
        answer = self.probe.run(
            ["sinfo", "--Node", "--noheader", "--nodes", ",".join(nodes), "--format=%N %t"]
        )
        for line in answer.stdout.splitlines() if answer.ok else []:
            name, _, state = line.partition(" ")
            if state.strip().endswith("*") or state.strip("* ").startswith("down"):
                named.add(name)
        return tuple(node for node in nodes if node in named)

    def _since(self, times: Sequence[str], nodes: Sequence[str], began: str) -> set[str]:
        """The nodes of which one of the times is not before another; scontrol has local times."""
        shown = self.probe.run(["scontrol", "--oneliner", "show", "node", ",".join(nodes)])
        named = set()
        for line in shown.stdout.splitlines() if shown.ok else ():
            known = scontrol.words(line)
            found = [known.get(name, "")[: len(began)] for name in times]
            # A time that is not known is a word, such as None.
            if any(each[:1].isdigit() and began <= each for each in found):
                named.add(known.get("NodeName", ""))
        return named
