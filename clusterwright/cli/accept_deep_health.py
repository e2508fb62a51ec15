"""`clusterwright accept --deep-health-checks`: start HyperPod's own checks, and follow them."""

from __future__ import annotations

import datetime as dt
import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from clusterwright.aws.errors import AwsUnavailable
from clusterwright.cli.accept_follow import Waited, tell, wait_for
from clusterwright.cli.confirmation import confirmed
from clusterwright.cli.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from clusterwright.cli.cluster_reading import ReadCluster
    from clusterwright.cluster_state.acceptance import RunNode
    from clusterwright.cluster_state.deep_health import DeepHealthOutcome
    from clusterwright.operate.acceptance_results import (
        AcceptReport,
        DeepHealthPlan,
        DeepHealthTarget,
        Status,
    )
    from clusterwright.operate.nodes import JoinedNode
    from clusterwright.operate.results import UnknownPart

LONGEST_SECONDS: Final = 3 * 3600.0
"""The default of --wait: more than the duration of DCGM's level 4."""
_WHAT: Final = "HyperPod's deep health checks"
_IN_PROGRESS: Final = "DeepHealthCheckInProgress"
_REBOOTS: Final = ("Pending", "SystemUpdating", "ShuttingDown")
"""States in which HyperPod reboots or replaces a node, after which it may test it again."""
_POLL_SECONDS: Final = 30.0
"""The checks take an hour, and a look reads every node and every line of a log group."""
_LATE_SECONDS: Final = 120.0
"""Results may reach the log group after the state of a node has changed, and HyperPod's reboot may
begin after a failure.
"""
_SKEW: Final = dt.timedelta(minutes=10)


def deep_health_checks(
    read: ReadCluster,
    report: AcceptReport,
    nodes: Sequence[JoinedNode],
    *,
    named: bool,
    yes: bool,
    dry_run: bool,
    wait_seconds: float | None,
) -> AcceptReport:
    """Start the checks on nodes, which are `named` or all, and follow them to their end.

    Raises
    ------
    UserError
        Nobody can be asked, the confirmation was declined, or one request does not take so many
        nodes.
    """
    from clusterwright.aws.hyperpod import MAXIMUM_HEALTH_CHECKS, MAXIMUM_IDS_PER_CHECK
    from clusterwright.catalog import load_catalog
    from clusterwright.operate.deep_health_plan import deep_health_plan
    from clusterwright.render.deep_health import plan_sentences

    cluster = read.spec.cluster
    plan = deep_health_plan(cluster, load_catalog(), read.state, read.rates, nodes, named=named)
    report = replace(report, plan=plan.groups)
    refused = tuple(_why_refused(read, plan, named=named))
    if refused:
        return replace(report, status="refused", unknown=refused)
    count = len(plan.requests(MAXIMUM_IDS_PER_CHECK))
    if count > MAXIMUM_HEALTH_CHECKS:
        raise UserError(
            f"one request takes {MAXIMUM_HEALTH_CHECKS} configurations, and these nodes need "
            f"{count}",
            "name fewer nodes with --nodes",
        )
    for line in plan_sentences(plan, uses_slurm=cluster.uses_slurm):
        tell(line)
    if dry_run:
        return report
    count = len(plan.targets)
    question = f"Start deep health checks on {count} {'node' if count == 1 else 'nodes'}?"
    if not confirmed(question, yes=yes):
        reason = "nothing was done, because the confirmation was declined"
        raise UserError(reason, exit_code=1)
    return _Work(read, plan, report).run(LONGEST_SECONDS if wait_seconds is None else wait_seconds)


def _why_refused(read: ReadCluster, plan: DeepHealthPlan, *, named: bool) -> list[UnknownPart]:
    if plan.refused:
        return [_part(name, reason) for name, reason in plan.refused]
    if plan.jobs is None and not named and plan.targets:
        unknown = read.state.scheduler.unknown
        reason = "which nodes run jobs is unknown"
        if unknown is not None:
            reason += f": {unknown.reason}"
        hint = "--nodes NAME,... tests nodes although their jobs are unknown"
        return [_part("the jobs on the nodes", reason, hint)]
    if not plan.targets:
        reasons = "; ".join(f"{name}: {reason}" for name, reason in plan.left_out)
        reason = f"no node can be tested now: {reasons}" if reasons else "there is no compute node"
        return [_part("the nodes", reason)]
    return []


def _part(what: str, reason: str, hint: str | None = None) -> UnknownPart:
    from clusterwright.operate.results import UnknownPart

    return UnknownPart(what, reason, hint, None)


@dataclass
class _Work:
    """The checks of one request."""

    read: ReadCluster
    plan: DeepHealthPlan
    report: AcceptReport
    _seen: set[str] = field(default_factory=set)
    """Instances that were seen in progress."""
    _left: dict[str, float] = field(default_factory=dict)
    """When each of them was seen not to be any more."""

    def run(self, limit: float) -> AcceptReport:
        from clusterwright.aws.hyperpod import MAXIMUM_IDS_PER_CHECK, start_health_checks
        from clusterwright.cluster_state.not_read import NotRead
        from clusterwright.operate.status import unknown_of

        since = self._since()
        try:
            start_health_checks(
                self.read.session,
                self.read.spec.cluster.environment,
                self.plan.requests(MAXIMUM_IDS_PER_CHECK),
            )
        except AwsUnavailable as error:
            found = NotRead.from_error(_WHAT, error)
            if error.code == "ConflictException":
                hint = "a cluster has one request at a time: wait for the end of the active one"
                found = replace(found, hint=hint)
            return replace(self.report, status="refused", unknown=unknown_of([found]))
        tell(f"{_WHAT}: started on {len(self.plan.targets)} nodes")
        waited: Waited[_Found] = wait_for(
            lambda: self._look(since), lambda one: one.is_over, _WHAT, limit, _POLL_SECONDS
        )
        found_last = waited.found or _Found({}, False)
        status: Status = "ended" if found_last.is_over else "running"
        unknown: tuple[UnknownPart, ...] = ()
        if not found_last.is_over:
            reason = f"they have not ended after {waited.seconds:.0f} s"
            if waited.problem is not None:
                reason += f", and are not read any more: {waited.problem.reason}"
            hint = f"clusterwright status {self.report.file} shows their results"
            unknown = (_part(_WHAT, reason, hint),)
        nodes = tuple(self._result(node, found_last.outcomes) for node in self.plan.targets)
        return replace(self.report, status=status, nodes=nodes, unknown=unknown)

    def _since(self) -> dict[str, dt.datetime]:
        """After which results count: after the last one that is known, or the start."""
        from clusterwright.cluster_state.not_read import known

        before = known(self.read.state.deep_health)
        now = dt.datetime.now(dt.UTC)
        # What is known ends before the start; the clocks of AWS and of this machine may differ.
        earliest = now if before is None else now - _SKEW
        found = {}
        for node in self.plan.targets:
            ident = node.instance_id
            last = (before or {}).get(ident)
            found[ident] = earliest if last is None else max(earliest, last.at)
        return found

    def _look(self, since: Mapping[str, dt.datetime]) -> _Found:
        """Raises AwsUnavailable."""
        from clusterwright.aws import hyperpod
        from clusterwright.cluster_state.deep_health import DeepHealthOutcome, outcomes

        cluster, session = self.read.spec.cluster, self.read.session
        listed = hyperpod.cluster_nodes(session, cluster.environment) or ()
        states = {node.instance_id: node.status for node in listed}
        checks = {name for names in self.plan.checks.values() for name in names}
        found = outcomes(session, cluster, since, checks)
        now = time.monotonic()
        is_over = True
        for ident in since:
            state = states.get(ident)
            if state == _IN_PROGRESS:
                self._seen.add(ident)
                self._left.pop(ident, None)
                is_over = False
                continue
            outcome = found.get(ident) or DeepHealthOutcome()
            if state in _REBOOTS:
                self._left.pop(ident, None)
            elif ident in self._seen or state is None or outcome.failure is not None:
                # An instance that is not listed any more was replaced.
                self._left.setdefault(ident, now)
            # Checks that pass after a failure count, so that it is not the end.
            late = now - self._left.get(ident, now) >= _LATE_SECONDS
            is_over = is_over and (late or self._wanted(ident) <= outcome.passed)
        return _Found(found, is_over)

    def _wanted(self, ident: str) -> frozenset[str]:
        group = next(node.group for node in self.plan.targets if node.instance_id == ident)
        return frozenset(self.plan.checks[group])

    def _result(self, node: DeepHealthTarget, found: Mapping[str, DeepHealthOutcome]) -> RunNode:
        from clusterwright.operate.deep_health import of_outcome

        wanted = self._wanted(node.instance_id)
        return of_outcome(node, wanted, found.get(node.instance_id))


@dataclass(frozen=True)
class _Found:
    outcomes: Mapping[str, DeepHealthOutcome]
    is_over: bool
