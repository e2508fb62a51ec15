"""The program that measures an all-reduce of several nodes, by their kind of accelerator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Optional, Protocol

from clusterwright_acceptance.expected import Expected
from clusterwright_acceptance.floors import Floor
from clusterwright_acceptance.launcher import Launched, Launcher


@dataclass(frozen=True)
class Command:
    """What a launcher starts on the nodes. `program` is its name in messages."""

    program: str
    argv: Sequence[str]
    tasks_per_node: int = 1
    env: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Figures:
    """Bus bandwidths in GB/s by size in MiB; `bad` says why the run is bad all the same."""

    values: Mapping[int, float]
    bad: Optional[str] = None


class Allreduce(Protocol):
    """One program."""

    @property
    def program(self) -> str:
        """Its name in `benchmarks.json`."""

    @property
    def pair_mib(self) -> int:
        """The message size of pairs."""

    @property
    def pair_env(self) -> Mapping[str, str]:
        """Variables of pairs."""

    @property
    def sweep_mib(self) -> tuple[int, ...]:
        """The message sizes of all nodes together."""

    def ranks(self, expected: Expected) -> int:
        """Ranks of one node."""

    def pair_floor(self, expected: Expected) -> Floor:
        """The floor of an all-reduce of two nodes, in GB/s of bus bandwidth."""

    def command(
        self, expected: Expected, launcher: Launcher, nodes: int, sizes_mib: Sequence[int]
    ) -> Command:
        """The command for a number of nodes."""

    def why_hung(self, nodes: Sequence[str], done: Launched, seconds: float) -> Optional[str]:
        """What did not end on which node, by its output; None where it does not say."""

    def why_not_run(self, nodes: Sequence[str], command: Command, done: Launched) -> Optional[str]:
        """Why the program ran on no node, or not on all: then nothing is known about the nodes."""

    def read(self, done: Launched, sizes_mib: Sequence[int]) -> Figures:
        """The result. Raises nccl_output.BadOutput if there is none."""

    def why_not_efa(self, done: Launched, interfaces: Optional[int]) -> Optional[str]:
        """Why the run did not use EFA, by its output; None if it did or does not say."""

    def why_idle(self, node: str, idle: Sequence[str], devices: int) -> Optional[str]:
        """What EFA devices that sent nothing say; None if nothing."""
