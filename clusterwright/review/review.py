"""The review of a change: two versions of a cluster and their comparison."""

from __future__ import annotations

import dataclasses
import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from clusterwright.cfn.resource_schemas import Schemas, SchemasMissing
from clusterwright.cluster_spec.models import Cluster
from clusterwright.cost.bill import Bill
from clusterwright.cost.budget import gates as budget_limits
from clusterwright.cost.budget import increase_gate
from clusterwright.cost.delta import CostDelta, cost_delta
from clusterwright.preflight import engine
from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.reader import FactReader
from clusterwright.preflight.registry import RuleFile
from clusterwright.preflight.results import Severity
from clusterwright.review import gates, job_effects, karpenter, parallelcluster
from clusterwright.review.assembly import EMPTY, Assembly
from clusterwright.review.causes import causes
from clusterwright.review.change_set import ChangeSetAnswer, rejections, unanswered, with_aws
from clusterwright.review.deployment_blockers import deployment_blockers
from clusterwright.review.findings_delta import findings_delta
from clusterwright.review.iam_access import wider_access
from clusterwright.review.lifecycle_scripts import scripts_change
from clusterwright.review.network_exposure import wider_network
from clusterwright.review.node_changes import (
    NodeGroup,
    groups_of_spec,
    groups_of_templates,
    nodes_changes,
)
from clusterwright.review.quota_delta import quota_deltas
from clusterwright.review.resource_changes import ChangeAnalysis, analyse
from clusterwright.review.results import (
    DeploymentBlocker,
    GateResult,
    NodesChange,
    ResourceChange,
    Review,
    SpecChange,
    UncheckedResource,
    Unknown,
)
from clusterwright.review.service_rules import service_rules
from clusterwright.review.spec_diff import spec_changes
from clusterwright.review.summary import summary_of

Groups = Mapping[str, NodeGroup]
"""Groups of nodes by name."""


@dataclass(frozen=True)
class Version:
    """One version of a cluster.

    Attributes
    ----------
    context:
        The spec with the catalogue and the user's prices; None without a spec.
    assembly:
        The templates; None where they are unknown.
    checkout:
        The folder of its lifecycle scripts.
    """

    context: Context | None
    assembly: Assembly | None
    checkout: Path | None = None


@dataclass(frozen=True, kw_only=True)
class Question:
    """The input of a review.

    `change.context` is required. `new` means that nothing exists before the change.
    """

    base: Version
    change: Version
    base_name: str
    new: bool = False
    files: Sequence[RuleFile]
    reader: FactReader | None
    offline: bool
    fail_on: Severity = "error"
    today: dt.date
    change_sets: tuple[ChangeSetAnswer, ...] = ()
    unknown: tuple[Unknown, ...] = ()
    notes: tuple[str, ...] = ()
    drift: tuple[SpecChange, ...] = field(default=())
    drift_unchecked: tuple[UncheckedResource, ...] = ()
    plan: tuple[SpecChange, ...] = ()


def review(question: Question) -> Review:
    """The review of a change."""
    context = question.change.context
    assert context is not None
    base = question.base.context
    unknown = [*question.unknown, *unanswered(question.change_sets)]
    analysis = _analysis(question, unknown)
    resources = _resources(question, analysis)
    update = _parallelcluster(question, analysis)
    if update is not None:
        resources = parallelcluster.with_reasons(resources, update)
    groups = _groups(question, analysis)
    resources, nodes = job_effects.combined(
        resources, _nodes(question, groups, update), *groups, analysis
    )
    bill_delta = _cost(base, context, question)
    before = (
        engine.run(
            question.files, base, question.reader, engine.Selection(offline=question.offline)
        )
        if base is not None
        else None
    )
    after = engine.run(
        question.files, context, question.reader, engine.Selection(offline=question.offline)
    )
    findings = findings_delta(
        before, after, base=base.spec if base is not None else None, change=context.spec
    )
    unknown += [
        Unknown(f"the rule {rule.rule}", f"the rule crashed: {rule.crash}", "please report it")
        for rule in after.crashed
    ]
    blockers = _blockers(question, analysis, update, context.region)
    changes = _changes(base, context, question)
    allowances = gates.Allowances(context.cluster.allow_replacement, question.today)
    found: list[GateResult] = [
        *gates.replacement_gates(resources, allowances),
        *gates.job_gates(nodes, resources, allowances),
        *gates.protection_gates(resources, changes, allowances),
        *gates.order_gates(blockers),
        *gates.budget_gates([*_limits(context, bill_delta)]),
        *gates.finding_gates(findings, question.fail_on),
        *allowances.gates(),
    ]
    found_review = Review(
        file=context.spec.file,
        environment=context.cluster.environment,
        base=question.base_name,
        changes=changes,
        resources=resources,
        causes=causes(resources),
        resources_known=analysis is not None,
        deployment_blockers=blockers,
        nodes=nodes,
        service_rules=service_rules(analysis) if analysis is not None else (),
        access=wider_access(analysis) if analysis is not None else (),
        wider_network=wider_network(analysis) if analysis is not None else (),
        scripts=scripts_change(question.base.checkout, question.change.checkout, analysis),
        cost=bill_delta,
        quotas=quota_deltas(question.files, base, context, question.reader),
        findings=findings,
        gates=tuple(found),
        unknown=tuple(dict.fromkeys(unknown)),
        notes=(*question.notes, *_allowance_notes(analysis, allowances)),
        drift=question.drift,
        drift_unchecked=question.drift_unchecked,
        plan=question.plan,
        today=question.today,
    )
    return _with_summary(found_review, context.cluster, groups[0], analysis)


def _with_summary(
    found: Review, cluster: Cluster, before: Groups, analysis: ChangeAnalysis | None
) -> Review:
    shared = cluster.storage.home is not None or "slurm" not in cluster.traits.sections
    summary = summary_of(found, before, analysis, platform=cluster.platform, shared_homes=shared)
    return dataclasses.replace(found, summary=summary)


def _blockers(
    question: Question,
    analysis: ChangeAnalysis | None,
    update: parallelcluster.Update | None,
    region: str,
) -> tuple[DeploymentBlocker, ...]:
    """What CloudFormation or a service would refuse."""
    found: tuple[DeploymentBlocker, ...] = ()
    if analysis is not None:
        found = deployment_blockers(
            question.base.assembly or EMPTY,
            question.change.assembly or EMPTY,
            analysis,
            Schemas(region).of,
        )
    found += rejections(question.change_sets)
    if update is not None:
        found += tuple(parallelcluster.deployment_blockers(update))
    return found


def _allowance_notes(
    analysis: ChangeAnalysis | None, allowances: gates.Allowances
) -> tuple[str, ...]:
    """Names of `allow_replacement` that the change does not need; none if that is unknown."""
    if analysis is None:
        return ()
    return tuple(
        f"allow_replacement names {name}, which this change neither replaces nor deletes"
        for name in allowances.unused()
    )


def strictly(found: Review) -> Review:
    """The review with `--strict`: what is unknown fails a gate."""
    added = [
        GateResult(
            gate="findings", status="fail", name=entry.rule,
            message=f"unknown: {entry.message}", hint=entry.hint,
        )
        for entry in found.findings.unanswered
    ]  # fmt: skip
    added += [
        GateResult(
            gate="findings", status="fail", name=entry.what,
            message=f"{entry.what} is unknown: {entry.reason}", hint=entry.hint,
        )
        for entry in found.unknown
    ]  # fmt: skip
    kept = [
        dataclasses.replace(gate, status="fail") if gate.status == "unknown" else gate
        for gate in found.gates
    ]
    return dataclasses.replace(found, gates=(*kept, *added))


def _analysis(question: Question, unknown: list[Unknown]) -> ChangeAnalysis | None:
    before = EMPTY if question.new else question.base.assembly
    after = question.change.assembly
    if before is None or after is None:
        return None
    try:
        schemas = Schemas(after.region)
    except SchemasMissing as missing:
        unknown.append(Unknown("the effect on each resource", str(missing), missing.hint))
        return None
    analysis = analyse(before, after, schemas.of)
    unknown += [
        Unknown("the effect on each resource", reason, "see its change set")
        for reason in analysis.unresolved
    ]
    return analysis


def _resources(question: Question, analysis: ChangeAnalysis | None) -> tuple[ResourceChange, ...]:
    if analysis is None:
        return ()
    return with_aws(analysis.changes, question.change_sets, analysis)


def _parallelcluster(
    question: Question, analysis: ChangeAnalysis | None
) -> parallelcluster.Update | None:
    base, change = question.base.context, question.change.context
    assert change is not None
    if question.new or "parallelcluster" not in change.cluster.traits.sections:
        return None
    return parallelcluster.update_of(
        base.cluster if base is not None else None, change.cluster, analysis
    )


def _groups(question: Question, analysis: ChangeAnalysis | None) -> tuple[Groups, Groups]:
    """The groups of nodes before and after; both empty where they are unknown."""
    base, change = question.base.context, question.change.context
    assert change is not None
    after = groups_of_spec(change.cluster)
    if question.new:
        return {}, after
    if base is not None:
        other = base.cluster.environment != change.cluster.environment
        return {} if other else groups_of_spec(base.cluster), after
    if analysis is None:
        return {}, {}
    return (
        groups_of_templates(analysis, after=False),
        groups_of_templates(analysis, after=True),
    )


def _nodes(
    question: Question, groups: tuple[Groups, Groups], update: parallelcluster.Update | None
) -> list[NodesChange]:
    """The changes of the groups' own settings, and of the node pools of Karpenter."""
    base, change = question.base.context, question.change.context
    assert change is not None
    if base is not None and update is not None:
        return parallelcluster.nodes_changes(
            update, _compute(base.cluster), _compute(change.cluster)
        )
    found = nodes_changes(*groups)
    if base is None and not question.new:
        return found
    same = base is not None and base.cluster.environment == change.cluster.environment
    pools = karpenter.pool_changes(base.cluster if same and base else None, change.cluster)
    return [*found, *pools]


def _compute(cluster: Cluster) -> dict[str, int]:
    return {group.name: group.count for group in cluster.compute if group.role == "compute"}


def _changes(base: Context | None, change: Context, question: Question) -> tuple[SpecChange, ...]:
    if base is None and not question.new:
        return ()
    before: Mapping[str, Any] = base.spec.resolved() if base is not None else {}
    return spec_changes(before, change.spec.resolved())


def _cost(base: Context | None, change: Context, question: Question) -> CostDelta | None:
    if base is not None:
        return cost_delta(base.bill, change.bill)
    if not question.new:
        return None
    after = change.bill
    return cost_delta(
        Bill(after.environment, after.region, after.platform, after.run_hours, ()), after
    )


def _limits(change: Context, delta: CostDelta | None) -> Iterator[Any]:
    yield from budget_limits(change.spec, change.bill)
    if delta is not None and delta.before.lines:
        gate = increase_gate(change.spec, delta)
        if gate is not None:
            yield gate
