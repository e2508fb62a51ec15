"""What a rehearsal found out: promises, nodes, steps, and what was left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from annotated_types import Ge

Status = Literal["held", "broken", "unknown"]
NodeStatus = Literal["pending", "running", "failed", "lost"]
Seconds = Annotated[float, Ge(0)]

EXIT_HELD, EXIT_BROKEN, EXIT_UNKNOWN = 0, 1, 2

NOT_COVERED = (
    "cgroup limits: this kind of machine refuses Slurm's cgroup v2 plugin, so cores, memory and "
    "devices of a job are counted but not enforced",
    "Lustre and NFS themselves: shared folders of this machine stand in for them",
    "Enroot and Pyxis: stand-ins of the rehearsal run a job in the files of an image, and have no "
    "registries, user namespaces, mounts or GPU libraries",
    "GPUs, Neuron devices, EFA and NVMe disks: devices without hardware, and programs that print "
    "what theirs would",
    "the HyperPod image: its operating system, versions and own Slurm settings are not known; "
    "timeouts of Slurm are shortened",
)
"""What no promise of any scenario says anything about."""


@dataclass(frozen=True)
class Promise:
    """One promise of a scenario, and whether it held."""

    id: str
    scenario: str
    text: str
    status: Status
    seconds: Seconds | None = None
    reason: str | None = None
    """Why it is broken or unknown; of one that held, a figure worth showing, or nothing."""


@dataclass(frozen=True)
class NodeResult:
    """One emulated node: how long it took to come up, and what it is now."""

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
    """The file that holds what its lifecycle script said, where the run's folder is kept."""


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
    """A part of the rehearsal itself and its duration."""

    name: str
    seconds: Seconds
    started: float | None = None
    """Seconds since the epoch."""


@dataclass(frozen=True)
class Skipped:
    """Something that was asked for or belongs to every rehearsal and was not done."""

    what: str
    reason: str


@dataclass(frozen=True)
class Verdict:
    """The whole answer."""

    config: str
    cluster: str
    suite: str
    slurm: str | None
    """The version that slurmctld gives, None where none ran."""
    promises: Sequence[Promise] = ()
    nodes: Sequence[NodeResult] = ()
    steps: Sequence[StepResult] = ()
    skipped: Sequence[Skipped] = ()
    notes: Sequence[str] = ()
    """What the user should know: groups that were made smaller, a run that is kept."""
    phases: Sequence[Phase] = ()
    timeline: Sequence[dict[str, Any]] = ()
    failure_logs: Sequence[tuple[str, str]] = field(default_factory=tuple)
    """(node, the end of its log) of nodes that failed."""
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
