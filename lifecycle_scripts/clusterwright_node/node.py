"""The argument of a step: the machine, the inputs, the node's identity and the deadline."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable

from clusterwright_node.contract import PARALLELCLUSTER, PCS, Group
from clusterwright_node.errors import CommandOutOfTime, Overtime
from clusterwright_node.inputs import Inputs, Instance
from clusterwright_node.journal import Journal
from clusterwright_node.log import Log
from clusterwright_node.machine import Machine


@dataclass(frozen=True)
class Verdict:
    """A result of a step's function, with its reason."""

    yes: bool
    reason: str


APPLIES = Verdict(True, "")
SATISFIED = Verdict(True, "")


def skip(reason: str) -> Verdict:
    """The step does not apply to this node."""
    return Verdict(False, reason)


def missing(reason: str) -> Verdict:
    """The step has something to do."""
    return Verdict(False, reason)


class Node:
    """The node of this run. `identity` and `group` are set by the step `identify`."""

    def __init__(
        self, machine: Machine, inputs: Inputs, configuration: str, journal: Journal, log: Log
    ) -> None:
        self.machine = machine
        self.inputs = inputs
        self.configuration = configuration
        self.journal = journal
        self._log = log
        self._identity: Instance | None = None
        self._step = ""
        self._step_seconds = 0.0
        self._step_ends = 0.0

    @property
    def identity(self) -> Instance:
        assert self._identity is not None, "the step identify runs first"
        return self._identity

    @property
    def group(self) -> Group:
        group = self.inputs.cluster.group(self.identity.group)
        assert group is not None, "the step identify checks it"
        return group

    @property
    def is_managed(self) -> bool:
        """Whether the platform, not this program, configures Slurm."""
        return self.configuration != "scripted"

    @property
    def is_mounted_for(self) -> bool:
        """Whether the platform, not this program, mounts file systems."""
        return self.configuration in ("managed", PARALLELCLUSTER)

    @property
    def is_parallelcluster(self) -> bool:
        return self.configuration == PARALLELCLUSTER

    @property
    def is_pcs(self) -> bool:
        return self.configuration == PCS

    @property
    def is_replaced_if_drained(self) -> bool:
        """Whether the platform replaces nodes that are drained or down by itself.

        clustermgtd of ParallelCluster does; of PCS it is not published, so nodes are reserved.
        """
        return self.is_parallelcluster or self.is_pcs

    @property
    def platform(self) -> str:
        """The platform's name, for messages."""
        names = {PARALLELCLUSTER: "ParallelCluster", PCS: "AWS PCS"}
        return names.get(self.configuration, "HyperPod")

    def does(self, what: str) -> str:
        """A text that the platform does something, not this program."""
        return f"{self.platform} {what}" + (
            " in the managed configuration" if self.configuration == "managed" else ""
        )

    @property
    def slurm_name(self) -> str:
        """The name of this node in Slurm: ParallelCluster's name, elsewhere the host name.

        On PCS the name is not known before slurmd starts; slurmctld finds a node by its host name
        too.
        """
        here = self.inputs.here
        if here is not None and here.slurm_name is not None:
            return here.slurm_name
        return self.machine.hostname()

    @property
    def is_controller(self) -> bool:
        """Whether it runs slurmctld."""
        return self.group.role == "controller"

    @property
    def administers(self) -> bool:
        """Whether it does once for the cluster what Slurm's commands and shared storage need.

        The controller does; on PCS, which runs slurmctld, the node of the first login group.
        """
        if not self.is_pcs:
            return self.is_controller
        logins = [group.name for group in self.inputs.cluster.groups if group.role == "login"]
        return logins[:1] == [self.group.name]

    @property
    def administrator(self) -> str:
        """Who administers, for messages."""
        return "the first login node" if self.is_pcs else "the controller"

    def identified_as(self, instance: Instance) -> None:
        self._identity = instance
        self._log.node = instance.name
        self._log.group = instance.group

    def notice(self, text: str) -> None:
        """Log a notice, which is neither success nor failure."""
        self._log.event("notice", step=self._step, text=text)

    def enter_step(self, step: str, deadline_seconds: float) -> None:
        self._step = step
        self._step_seconds = deadline_seconds
        self._step_ends = self.machine.monotonic() + deadline_seconds

    def seconds_left(self) -> float:
        return max(0.0, self._step_ends - self.machine.monotonic())

    def wait_until(
        self, probe: Callable[[], str | None], hint: str, every_seconds: float = 2.0
    ) -> None:
        """Call `probe`, which returns what is missing, until it returns None.

        Raises Overtime with the last result when the step's deadline passes. A probe that the
        deadline interrupts has no result, so the one before it is the last.
        """
        waiting_for: str | None = None
        while True:
            try:
                waiting_for = probe()
            except CommandOutOfTime:
                if waiting_for is None:
                    raise
                raise Overtime(self._step_seconds, waiting_for, hint) from None
            if waiting_for is None:
                return
            if self.seconds_left() <= 0:
                raise Overtime(self._step_seconds, waiting_for, hint)
            self.machine.sleep(min(every_seconds, self.seconds_left()))
