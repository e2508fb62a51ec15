"""What a review found: result types only, so that rendering needs nothing else of this room."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field
from typing import Any, Final, Literal, get_args

from clusterwright.cost.delta import CostDelta
from clusterwright.preflight.results import Finding, Unanswered, Waived

Effect = Literal["none", "update", "restart", "replace", "delete"]
EFFECTS: Final[tuple[Effect, ...]] = get_args(Effect)
"""What happens to a resource that exists, mildest first. One that is created has `none`."""

Action = Literal["keep", "create", "update", "replace", "delete", "leave"]
"""What CloudFormation does. `leave`: its stack is no longer part of the app, so nothing does."""

Certainty = Literal["certain", "possible", "aws"]
"""`possible`: not proven from templates, so the worse is taken. `aws`: a change set says so."""

Verdict = Literal["pass", "fail", "unknown"]
GateStatus = Literal["pass", "fail", "unknown", "allowed"]


@dataclass(frozen=True)
class SpecChange:
    """One value of the resolved spec that differs; `None` where it is not there.

    Items of lists that have names are matched by name, so a group that moves is no change.
    """

    path: str
    before: Any
    after: Any


@dataclass(frozen=True, kw_only=True)
class ResourceChange:
    """What a deployment does to one resource.

    Attributes
    ----------
    reasons:
        Why, in sentences: which property, and what CloudFormation's schema says of it.
    holds:
        What is in it that cannot be made again; None where nothing is.
    data_loss:
        What it holds is destroyed. False where it is kept outside the stack or in a snapshot.
    outcome:
        What becomes of what it holds, in a sentence; None where nothing does.
    job_loss:
        Jobs that run on it die.
    """

    stack: str
    logical_id: str
    type: str
    effect: Effect
    action: Action
    reasons: tuple[str, ...] = ()
    properties: tuple[str, ...] = ()
    certainty: Certainty = "certain"
    holds: str | None = None
    data_loss: bool = False
    outcome: str | None = None
    job_loss: bool = False

    @property
    def name(self) -> str:
        """As the spec's `allow_replacement` names it."""
        return f"{self.stack}/{self.logical_id}"

    @property
    def ends(self) -> bool:
        """Whether what exists now is given up."""
        return self.effect in ("replace", "delete")


@dataclass(frozen=True, kw_only=True)
class Obstacle:
    """Why a deployment of this change fails or must be done in steps.

    `kind` is stable: `export-in-use`, `name-taken`, `type-changed`, `cannot-shrink`,
    `cannot-change`, and `refused` for AWS's own word.
    """

    kind: str
    where: str
    message: str
    hint: str


@dataclass(frozen=True, kw_only=True)
class NodesChange:
    """What becomes of the nodes of one group.

    `jobs`: `die` (those on the nodes that go), `wait` (HyperPod patches idle nodes first), `none`.
    """

    group: str
    change: Literal["added", "removed", "grown", "shrunk", "replaced", "updated"]
    before: int
    after: int
    jobs: Literal["die", "wait", "none"]
    message: str
    whole_group: bool = False
    """Every node of a group that holds jobs goes; that must be allowed by name."""

    @property
    def name(self) -> str:
        """As the spec's `allow_replacement` names it."""
        return f"compute[{self.group}]"


@dataclass(frozen=True)
class AccessChange:
    """Something that is allowed after the change and was not before."""

    stack: str
    where: str
    message: str


@dataclass(frozen=True)
class ScriptsChange:
    """Lifecycle scripts that differ, and when nodes run the new ones."""

    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: tuple[str, ...]
    prefix_changes: bool
    when: str


@dataclass(frozen=True, kw_only=True)
class QuotaDelta:
    """What the cluster asks of one quota before and after.

    `limit` and `used` (by others) are AWS's answers; None without one.
    """

    service: str
    code: str | None
    label: str
    unit: str
    before: float
    after: float
    limit: float | None = None

    @property
    def delta(self) -> float:
        return self.after - self.before


@dataclass(frozen=True)
class FindingsDelta:
    """Findings of the base against those of the change.

    A finding that both have with other words is new: the change bears on it. `standing` are those
    that the change leaves as they are.
    """

    new: tuple[Finding, ...] = ()
    fixed: tuple[Finding, ...] = ()
    waived: tuple[Waived, ...] = ()
    standing: tuple[Finding, ...] = ()
    unanswered: tuple[Unanswered, ...] = ()


@dataclass(frozen=True, kw_only=True)
class GateResult:
    """One gate: `gate` is stable, `name` says of what."""

    gate: Literal["replacement", "jobs", "order", "budget", "findings", "allowance"]
    status: GateStatus
    name: str
    message: str
    hint: str | None = None


@dataclass(frozen=True)
class Unknown:
    """One question of the review that could not be answered."""

    what: str
    reason: str
    hint: str | None = None


@dataclass(frozen=True, kw_only=True)
class Review:
    """The whole review of one change."""

    file: str
    environment: str
    base: str
    """What it is compared with, in words: `origin/main (3f2a91c)`, `what is deployed`."""

    changes: tuple[SpecChange, ...] = ()
    resources: tuple[ResourceChange, ...] = ()
    resources_known: bool = True
    obstacles: tuple[Obstacle, ...] = ()
    nodes: tuple[NodesChange, ...] = ()
    access: tuple[AccessChange, ...] = ()
    openings: tuple[AccessChange, ...] = ()
    scripts: ScriptsChange | None = None
    cost: CostDelta | None = None
    quotas: tuple[QuotaDelta, ...] = ()
    findings: FindingsDelta = field(default_factory=FindingsDelta)
    gates: tuple[GateResult, ...] = ()
    unknown: tuple[Unknown, ...] = ()
    notes: tuple[str, ...] = ()
    drift: tuple[SpecChange, ...] = ()
    """Properties of deployed resources that somebody changed since; CloudFormation's own word."""

    plan: tuple[SpecChange, ...] = ()
    """Where the spec parts from the plan recorded beside it: the plan's value, then the spec's."""

    today: dt.date = dt.date.min

    @property
    def failed(self) -> tuple[GateResult, ...]:
        return tuple(gate for gate in self.gates if gate.status == "fail")

    @property
    def verdict(self) -> Verdict:
        if self.failed:
            return "fail"
        undecided = any(gate.status == "unknown" for gate in self.gates)
        if self.unknown or undecided or self.findings.unanswered:
            return "unknown"
        return "pass"

    @property
    def exit_code(self) -> int:
        """1 a gate is broken; else 2 something could not be answered; else 0."""
        return {"fail": 1, "unknown": 2, "pass": 0}[self.verdict]

    @property
    def changes_nothing(self) -> bool:
        return not (self.changes or self.resources or self.scripts)
