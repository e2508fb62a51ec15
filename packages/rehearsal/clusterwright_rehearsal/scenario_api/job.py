"""A Slurm job, as scenarios use it."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from typing import Protocol

from clusterwright_rehearsal.scenario_api.node import Node
from clusterwright_rehearsal.scenario_api.outcomes import Broken

_ENDED = ("FAILED", "CANCELLED", "TIMEOUT", "NODE_FAIL", "OUT_OF_MEMORY")


class JobCluster(Protocol):
    """What a `Job` uses of its cluster."""

    @property
    def controller(self) -> Node:
        """The controller node."""

    def slurm(self, command: str) -> str:
        """Standard output of a command on the controller, which must succeed."""

    def wait_for(self, probe: Callable[[], str | None], *, within_s: float) -> float:
        """Wait until `probe` returns None; raise `Broken` after `within_s` seconds."""


class Job:
    """A job in Slurm."""

    def __init__(self, cluster: JobCluster, number: str, output: str) -> None:
        self._cluster = cluster
        self.id = number
        self._output = output

    def show(self) -> dict[str, str]:
        """The fields of `scontrol show job`; empty without an answer, and for a purged job."""
        result = self._cluster.controller.run(f"scontrol --oneliner show job {self.id}")
        words = (word.partition("=") for word in result.stdout.split() if "=" in word)
        return {key: value for key, _, value in words} if result.ok else {}

    def fields(self, *, within_s: float = 30.0) -> dict[str, str]:
        """The fields of `show`, for a single reading: it waits while slurmctld does not answer.

        slurmctld does not answer while it starts or reads its files again. Raises `Broken`
        after `within_s` seconds without the job's fields.
        """
        shown: dict[str, str] = {}

        def missing() -> str | None:
            shown.update(self.show())
            return None if shown else f"scontrol shows no job {self.id}"

        self._cluster.wait_for(missing, within_s=within_s)
        return shown

    @property
    def state(self) -> str:
        """Slurm's state: `PENDING`, `RUNNING`, `COMPLETED`; `UNKNOWN` for a purged job."""
        return self.show().get("JobState", "UNKNOWN")

    @property
    def hosts(self) -> list[str]:
        """The nodes that it runs on, by their names in Slurm."""
        nodes = self.show().get("NodeList", "")
        if nodes in ("", "(null)"):
            return []
        return self._cluster.slurm(f"scontrol show hostnames {shlex.quote(nodes)}").split()

    def wait(self, state: str, *, within_s: float) -> None:
        """Wait for a state. Raises `Broken` on a timeout or if the job ends in another state."""

        def reached() -> str | None:
            shown = self.show()
            now = shown.get("JobState", "UNKNOWN")
            if now == state:
                return None
            if now in _ENDED:
                raise Broken(f"job {self.id} is {now}: {self._cause(shown)}")
            return f"job {self.id} is {now} ({shown.get('Reason', 'no reason')})"

        self._cluster.wait_for(reached, within_s=within_s)

    def output(self) -> str:
        """The contents of its output file."""
        return self._cluster.controller.run(f"cat {self._output}").stdout

    def cancel(self) -> None:
        """Cancel the job with `scancel`."""
        self._cluster.controller.run(f"scancel {self.id}")

    def _cause(self, shown: Mapping[str, str]) -> str:
        return f"exit code {shown.get('ExitCode')}, output {self.output()[-300:]!r}"
