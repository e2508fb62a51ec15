"""The platforms whose nodes have one mode only, apart from HyperPod's two configurations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from clusterwright_rehearsal.platforms.parallelcluster import unsupported_scenarios
from clusterwright_rehearsal.platforms.parallelcluster.context import ParallelClusterContext
from clusterwright_rehearsal.platforms.pcs import unsupported_scenarios as unsupported_on_pcs
from clusterwright_rehearsal.platforms.pcs.context import PcsContext
from clusterwright_rehearsal.scenario_api.context import ScenarioContext


@dataclass(frozen=True)
class Mode:
    """A mode in `MODES` of scenarios, with its platform."""

    name: str
    title: str
    context: type[ScenarioContext]
    unsupported: Mapping[str, str]
    """Scenario → why it does not apply."""


_ALL: Final = (
    Mode(
        "parallelcluster",
        "ParallelCluster",
        ParallelClusterContext,
        unsupported_scenarios.REASONS,
    ),
    Mode("pcs", "AWS PCS", PcsContext, unsupported_on_pcs.REASONS),
)
MODES: Final[Mapping[str, Mode]] = {mode.name: mode for mode in _ALL}
