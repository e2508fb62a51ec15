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
    """A kind of recovery: its goodput by closed form and by simulation."""

    name: str
    minutes: float
    closed_form: float
    simulated: Quantiles
    simulated_mean: float
    interruptions: Quantiles
    lost_hours: dict[str, float]

    @property
    def agrees(self) -> bool:
        """Whether simulation and closed form differ by at most 2 percentage points."""
        return abs(self.simulated_mean - self.closed_form) <= 0.02


@dataclass(frozen=True)
class Failures:
    """Interruptions, checkpoint intervals and goodput by recovery."""

    mtti_hours: Quantiles
    spares: int
    save_seconds: float
    intervals: Intervals
    recoveries: tuple[Recovery, ...]
    remark: str
    setup: SimulationSetup
    """Of the simulation with the goal's recovery, which `simulated_run` runs once."""


@dataclass(frozen=True)
class FrontPoint:
    """One cluster of the sweep, for the chart of days and dollars."""

    name: str
    nodes: int
    accelerators: int
    days_p50: float
    usd_p50: float | None
    on_front: bool


@dataclass(frozen=True)
class GoodputPoint:
    """Goodput of a number of nodes by recovery, by the closed form at Young's interval."""

    nodes: int
    by_recovery: dict[str, float]


@dataclass(frozen=True)
class Charts:
    """Data of the charts."""

    front: tuple[FrontPoint, ...]
    goodput: tuple[GoodputPoint, ...]
    run: SimulatedRun | None


@dataclass(frozen=True)
class PlanReport:
    """Everything that follows from one goal."""

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
    """The same run on named hardware to buy."""
    levels: tuple[Affordability, ...] = ()
    unknown: tuple[str, ...] = field(default=())
    charts: Charts | None = None
