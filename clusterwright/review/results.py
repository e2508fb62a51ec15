"""Result types of a review."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field
from typing import Any, Final, Literal, get_args

from clusterwright.cost.delta import CostDelta
from clusterwright.preflight.results import Finding, Unanswered, Waived

Effect = Literal["none", "update", "restart", "replace", "delete"]
EFFECTS: Final[tuple[Effect, ...]] = get_args(Effect)
"""Effect on an existing resource, mildest first; a new resource has `none`."""

Action = Literal["keep", "create", "update", "replace", "delete", "leave"]
"""Action of CloudFormation; `leave` for a stack that is no longer part of the app."""

Certainty = Literal["certain", "possible", "aws"]
"""`possible`: not certain from the templates; `aws`: from a change set."""

Verdict = Literal["pass", "fail", "unknown"]
GateStatus = Literal["pass", "fail", "unknown", "allowed"]


@dataclass(frozen=True)
class SpecChange:
    """One value of the resolved spec that differs; null where it is absent.

    List items with names are matched by name, so that moving a group is not a change.
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
        Why, in sentences: the property, and its update behaviour in the schema.
    holds:
        What it holds that cannot be created again; None for nothing.
    data_loss:
        Its data is deleted. False where it is retained or in a snapshot.
    outcome:
        What happens to its data, in a sentence; None without data.
    job_loss:
        Jobs that run on it end.
    protection_loss:
        It holds data, and deleting its stack, which kept it before, deletes it afterwards.
    follows:
        Names of the resources whose changes change this one; empty for a cause.
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
    protection_loss: bool = False
    follows: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Its name in `allow_replacement` of the spec."""
        return f"{self.stack}/{self.logical_id}"

    @property
    def ends(self) -> bool:
        """Whether the existing resource ends."""
        return self.effect in ("replace", "delete")


@dataclass(frozen=True)
class Cause:
    """Resources that change for a reason of their own, and those that follow them.

    Several resources are one cause where they change for the same reason, such as a tag.
    """

    own: tuple[ResourceChange, ...]
    consequences: tuple[ResourceChange, ...] = ()

    @property
    def resources(self) -> tuple[ResourceChange, ...]:
        return (*self.own, *self.consequences)


@dataclass(frozen=True, kw_only=True)
class DeploymentBlocker:
    """Why a deployment of the change fails or requires several steps.

    `kind` is stable: `export-in-use`, `name-taken`, `type-changed`, `cannot-shrink`,
    `cannot-change`, and `refused` for a change set that AWS refused.
    """

    kind: str
    where: str
    message: str
    hint: str


@dataclass(frozen=True, kw_only=True)
class NodesChange:
    """The change of the nodes of one group.

    `jobs`: `die` (jobs on the removed nodes end), `wait` (idle nodes are updated first), `none`.
    """

    group: str
    change: Literal["added", "removed", "grown", "shrunk", "replaced", "updated"]
    before: int
    after: int
    jobs: Literal["die", "wait", "none"]
    message: str
    whole_group: bool = False
    """The group loses all its nodes, which the spec must allow by name."""

    resource: str | None = None
    """The resource whose change ends the nodes, where the templates are known."""

    @property
    def name(self) -> str:
        """Its name in `allow_replacement` of the spec."""
        return f"compute[{self.group}]"


NodesEffect = Literal[
    "none", "at-once", "later", "new", "rolling", "ended", "interrupted", "unknown"
]
"""What becomes of nodes and jobs with an update in place: `at-once` changes running nodes without
a restart, `later` those that start or are configured again, `new` those that are added; `rolling`
replaces all, some at a time; `ended` ends all; `interrupted` lets jobs wait."""


@dataclass(frozen=True, kw_only=True)
class ServiceRule:
    """What a service does with an update in place of one property.

    Attributes
    ----------
    where:
        The resource, `stack/logical id`.
    users:
        Clusters and groups of nodes that refer to the resource, directly or not.
    source, date:
        Who documents it, and when it was read.
    """

    where: str
    type: str
    property: str
    nodes: NodesEffect
    message: str
    source: str
    date: str
    users: tuple[str, ...] = ()


@dataclass(frozen=True)
class AccessChange:
    """Access that is allowed after the change and was not before."""

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
    """The demand of the cluster on one quota before and after.

    `limit` is the applied quota; None where the account was not read.
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
    """Comparison of the findings of both versions.

    A finding of both with different messages is new, because the change affects it. `standing`
    are those that are the same in both.
    """

    new: tuple[Finding, ...] = ()
    fixed: tuple[Finding, ...] = ()
    waived: tuple[Waived, ...] = ()
    standing: tuple[Finding, ...] = ()
    unanswered: tuple[Unanswered, ...] = ()


@dataclass(frozen=True, kw_only=True)
class GateResult:
    """One gate; `gate` is its kind, `name` its subject."""

    gate: Literal["replacement", "jobs", "protection", "order", "budget", "findings", "allowance"]
    status: GateStatus
    name: str
    message: str
    hint: str | None = None


@dataclass(frozen=True)
class Unknown:
    """A part of the review that is unknown."""

    what: str
    reason: str
    hint: str | None = None


@dataclass(frozen=True)
class UncheckedResource:
    """A deployed resource that drift detection does not check."""

    stack: str
    logical_id: str
    type: str


@dataclass(frozen=True)
class UncheckedPart:
    """A part of deployed resources that was not compared, and why."""

    what: str
    reason: str


@dataclass(frozen=True)
class Summary:
    """The five sentences of a review from which a reader decides."""

    happens: str
    lost: str
    survives: str
    costs: str
    instead: str


@dataclass(frozen=True, kw_only=True)
class Review:
    """The review of one change."""

    file: str
    environment: str
    base: str
    """Display name of the base: `origin/main (3f2a91c)`, `what is deployed`."""

    changes: tuple[SpecChange, ...] = ()
    resources: tuple[ResourceChange, ...] = ()
    causes: tuple[Cause, ...] = ()
    """The same resources by the change that causes theirs, worst first."""

    resources_known: bool = True
    deployment_blockers: tuple[DeploymentBlocker, ...] = ()
    nodes: tuple[NodesChange, ...] = ()
    service_rules: tuple[ServiceRule, ...] = ()
    """What services do with updates in place."""

    access: tuple[AccessChange, ...] = ()
    wider_network: tuple[AccessChange, ...] = ()
    scripts: ScriptsChange | None = None
    cost: CostDelta | None = None
    quotas: tuple[QuotaDelta, ...] = ()
    findings: FindingsDelta = field(default_factory=FindingsDelta)
    gates: tuple[GateResult, ...] = ()
    unknown: tuple[Unknown, ...] = ()
    notes: tuple[str, ...] = ()
    drift: tuple[SpecChange, ...] = ()
    """Properties of deployed resources that were changed outside CloudFormation (drift)."""

    drift_unchecked: tuple[UncheckedResource, ...] = ()
    """Deployed resources whose drift nothing checked."""

    plan: tuple[SpecChange, ...] = ()
    """Differences between the recorded plan (before) and the spec (after)."""

    summary: Summary | None = None
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
        """1 if a gate failed; else 2 if something is unknown; else 0."""
        return {"fail": 1, "unknown": 2, "pass": 0}[self.verdict]

    @property
    def changes_nothing(self) -> bool:
        return not (self.changes or self.resources or self.scripts)
