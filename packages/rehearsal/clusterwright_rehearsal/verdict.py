"""The result of a rehearsal: promises, nodes, steps, and what was skipped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Final, Literal

from annotated_types import Ge

Status = Literal["held", "broken", "unknown"]
NodeStatus = Literal["pending", "running", "failed", "lost"]
Seconds = Annotated[float, Ge(0)]

STATUS_WORDS: Final[Mapping[Status, str]] = {
    "held": "passed",
    "broken": "failed",
    "unknown": "unknown",
}
"""What texts print for the statuses of JSON."""

EXIT_HELD, EXIT_BROKEN, EXIT_UNKNOWN = 0, 1, 2

NOT_COVERED = (
    "cgroup limits: Slurm's cgroup v2 plugin does not work on emulated nodes, so cores, memory "
    "and devices of a job are counted but not enforced",
    "Lustre and NFS themselves: shared folders of this machine replace them",
    "Enroot and Pyxis: stubs run a job in the files of an image, without registries, user "
    "namespaces, mounts or GPU libraries",
    "GPUs, Neuron devices, EFA and NVMe disks: device files without hardware, and programs that "
    "print the output of the real ones",
    "the HyperPod image: its operating system, versions and Slurm settings are not known; "
    "Slurm's timeouts are shortened",
)
"""What no promise covers."""


@dataclass(frozen=True)
class Promise:
    """One promise of a scenario with its status."""

    id: str
    scenario: str
    text: str
    status: Status
    seconds: Seconds | None = None
    reason: str | None = None
    """Why it is broken or unknown; for a promise that held, the notes of the scenario."""


@dataclass(frozen=True)
class NodeResult:
    """One emulated node: its current status, and the time until it was running."""

    name: str
    host: str
    group: str
    role: str | None
    instance_type: str
    instance_id: str
    address: str
    status: NodeStatus
    seconds: Seconds | None
    log: str | None
    """The log file of its lifecycle script, in the folder of a kept run."""


@dataclass(frozen=True)
class StepResult:
    """One step of the node program on one node, in its first run."""

    node: str
    step: str
    status: str
    seconds: Seconds
    error: str | None = None
    ended: float | None = None
    """Seconds since the epoch, by the node's clock."""


@dataclass(frozen=True)
class Phase:
    """A phase of the rehearsal with its duration."""

    name: str
    seconds: Seconds
    started: float | None = None
    """Seconds since the epoch."""


@dataclass(frozen=True)
class Skipped:
    """A scenario that was skipped, with the reason."""

    what: str
    reason: str


@dataclass(frozen=True)
class Verdict:
    """The result of a rehearsal."""

    config: str
    cluster: str
    suite: str
    slurm: str | None
    """The version of slurmctld; None if it did not run."""
    promises: Sequence[Promise] = ()
    nodes: Sequence[NodeResult] = ()
    steps: Sequence[StepResult] = ()
    skipped: Sequence[Skipped] = ()
    notes: Sequence[str] = ()
    """Notes for the user, for example about reduced groups or a kept run."""
    phases: Sequence[Phase] = ()
    timeline: Sequence[dict[str, Any]] = ()
    failure_logs: Sequence[tuple[str, str]] = field(default_factory=tuple)
    """(node, the end of its log) for each failed node."""
    not_covered: Sequence[str] = NOT_COVERED

    @property
    def exit_code(self) -> int:
        """1 if any promise is broken, else 2 if any is unknown, else 0."""
        statuses = {promise.status for promise in self.promises}
        if "broken" in statuses:
            return EXIT_BROKEN
        return EXIT_UNKNOWN if "unknown" in statuses else EXIT_HELD

    def count(self, status: Status) -> int:
        return sum(promise.status == status for promise in self.promises)
