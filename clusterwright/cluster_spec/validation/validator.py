"""Validators: functions that find what makes a spec unusable."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.problems import Problem

Phase = Literal["spec", "catalogue", "synthesis"]
"""When a validator runs.

`spec`: on loading; it compares values of the spec with each other. `catalogue`: on loading, after
those of the phase `spec`; it compares them with the catalogue and with fixed limits of platforms.
`synthesis`: before templates are written; `check` reports the same mistakes as findings.
"""


def every_cluster(_: Cluster) -> bool:
    """Return True: the condition of validators that apply to all platforms."""
    return True


@dataclass(frozen=True)
class Validator:
    """A function that yields the problems of a spec, when it runs, and for which clusters."""

    problems: Callable[[Cluster], Iterable[Problem]]
    phase: Phase = "spec"
    applies: Callable[[Cluster], bool] = every_cluster

    @property
    def module(self) -> str:
        """The dotted name of the module that defines the function."""
        return self.problems.__module__


def uses_slurm(cluster: Cluster) -> bool:
    """Return whether Slurm schedules jobs: the condition of validators of `slurm`."""
    return cluster.uses_slurm
