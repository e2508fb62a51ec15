"""The plan report: the plan and what follows from it (types)."""

from __future__ import annotations

from dataclasses import dataclass, field

from clusterwright.sizing.affordability import Affordability
from clusterwright.sizing.inference import InferenceAware
from clusterwright.sizing.launch import Launch
from clusterwright.sizing.offers import Offer
from clusterwright.sizing.ownership import BreakEven
from clusterwright.sizing.phases import Phase
from clusterwright.sizing.plan_types import Candidate, Plan, Quantiles
from clusterwright.sizing.platform_advice import Advice
from clusterwright.sizing.reliability import Intervals
from clusterwright.sizing.simulate import SimulationSetup
from clusterwright.sizing.simulated_run import SimulatedRun
from clusterwright.sizing.storage import StoragePlan


@dataclass(frozen=True)
class QuotaNeed:
    """A quota that the cluster must have."""

    name: str
    code: str | None
    wanted: float
    default: float | None
    note: str


@dataclass(frozen=True)
class Recovery:
    """One way to come back after a failure."""

    name: str
    minutes: float
    closed_form: float
    simulated: Quantiles
    simulated_mean: float
    interruptions: Quantiles
    lost_hours: dict[str, float]

    @property
    def agrees(self) -> bool:
        """The simulation and the closed form within two points of 100."""
        return abs(self.simulated_mean - self.closed_form) <= 0.02


@dataclass(frozen=True)
class Failures:
    """What breaks, and what it costs."""

    mtti_hours: Quantiles
    spares: int
    save_seconds: float
    intervals: Intervals
    recoveries: tuple[Recovery, ...]
    remark: str
    setup: SimulationSetup
    """Of the simulation with the goal's recovery: `one_run` plays it once."""


@dataclass(frozen=True)
class FrontPoint:
    """One cluster of the sweep, for the chart of days against dollars."""

    name: str
    nodes: int
    accelerators: int
    days_p50: float
    usd_p50: float | None
    on_front: bool


@dataclass(frozen=True)
class GoodputPoint:
    """Goodput of a number of nodes with each recovery, by the closed form and Young's interval."""

    nodes: int
    by_recovery: dict[str, float]


@dataclass(frozen=True)
class Charts:
    """What is only drawn."""

    front: tuple[FrontPoint, ...]
    goodput: tuple[GoodputPoint, ...]
    run: SimulatedRun | None


@dataclass(frozen=True)
class PlanReport:
    """Everything about one goal."""

    plan: Plan
    region: str | None
    capacity_kinds: tuple[str, ...]
    priced: tuple[Offer, ...] = ()
    unpriced: tuple[Offer, ...] = ()
    chosen_offer: Offer | None = None
    storage: StoragePlan | None = None
    failures: Failures | None = None
    quotas: tuple[QuotaNeed, ...] = ()
    phases: tuple[Phase, ...] = ()
    launch: Launch | None = None
    advice: Advice | None = None
    capacity_asked: bool = True
    inference: InferenceAware | None = None
    owned: BreakEven | None = None
    owned_run: Candidate | None = None
    """The same run on named hardware that one would buy."""
    levels: tuple[Affordability, ...] = ()
    unknown: tuple[str, ...] = field(default=())
    charts: Charts | None = None
