"""Reads what may say why a deployment, a node or a job failed, in stages of parallel calls."""

from __future__ import annotations

import datetime as dt
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from clusterwright.aws import hyperpod, hyperpod_events, pcs, s3, sts
from clusterwright.aws.cloudformation.history import StackSummary, stack_summaries
from clusterwright.aws.errors import AwsUnavailable
from clusterwright.aws.logs import log_group_names, newest_streams
from clusterwright.aws.session import AwsSession
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_state import (
    failure_kubernetes,
    failure_logs,
    failure_services,
    reading,
)
from clusterwright.cluster_state.account import CALLER, OTHER_ACCOUNT_HINT, other_account
from clusterwright.cluster_state.failure_capacity import of_capacity
from clusterwright.cluster_state.failure_hyperpod import (
    MAXIMUM_DESCRIBED,
    MAXIMUM_EVENTS,
    described,
    event_of,
    missing_nodes,
    needs_metadata,
    nodes_of,
    satisfied_groups,
)
from clusterwright.cluster_state.failure_stacks import failures_of, stacks_of, states_of
from clusterwright.cluster_state.not_read import NotRead as Refused
from clusterwright.cluster_state.parallel import Progress, read_together
from clusterwright.cluster_state.published import (
    not_readable,
    parsed,
    publishing_node,
    without_cluster,
)
from clusterwright.diagnosis import cluster_events, scheduler
from clusterwright.diagnosis.model import Evidence, NotRead, Target
from clusterwright.platforms.hyperpod.instance_groups import lifecycle_bucket

_MAXIMUM_BYTES: Final = 32 * 1024 * 1024
_STACKS: Final = "CloudFormation stacks"
_CLUSTER: Final = "the HyperPod cluster"
_NODES: Final = "the nodes of the HyperPod cluster"
_EVENTS: Final = "SageMaker cluster events"
_STATES: Final = "CloudFormation states of stacks"
_STATE: Final = "the scheduler's state"
_KUBERNETES: Final = "the Kubernetes API's view"
_LOGS: Final = "log groups"
_PCS: Final = "the PCS cluster"
_PCS_STATES: Final = "PCS states"


@dataclass
class Failures:
    """What was read.

    Attributes
    ----------
    names:
        Names of nodes by their instance ids.
    document:
        What the controller published; None if there is nothing.
    """

    evidence: list[Evidence] = field(default_factory=list)
    read: list[str] = field(default_factory=list)
    unknown: list[NotRead] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)
    document: Mapping[str, Any] | None = None


class Reader:
    """Reads for one question; `found` has the result of the stages so far."""

    def __init__(
        self,
        session: AwsSession,
        cluster: Cluster,
        target: Target,
        *,
        now: dt.datetime,
        since: dt.datetime,
        deadline_seconds: float,
        progress: Progress | None = None,
    ) -> None:
        self._session, self._cluster, self._target = session, cluster, target
        self._now, self._since = now, since
        self._end = time.monotonic() + deadline_seconds
        self._progress = progress
        self._done = 0
        self._answers: dict[str, Any] = {}
        self._stack_list: Sequence[StackSummary] = ()
        self._listed: frozenset[str] = frozenset()
        self._satisfied: frozenset[str] = frozenset()
        self.found = Failures()

    def read(self) -> Failures:
        """Everything that concerns the target. AWS's refusals are unknown, not raised."""
        try:
            self._session.require_credentials(service="sts", operation="GetCallerIdentity")
        except AwsUnavailable as error:
            self.found.unknown.append(NotRead("the AWS account", error.message, error.hint))
            return self.found
        self._answers = self._together(self._first())
        reason = other_account(self._answers.get(CALLER), self._cluster.account)
        if reason is not None:
            self.found.unknown[:] = [NotRead("the AWS account", reason, OTHER_ACCOUNT_HINT)]
            return self.found
        self._stack_list = self._own_stacks()
        self._scheduler_state()
        self._kubernetes_nodes()
        self._hyperpod_nodes()
        self._services()
        second = self._second()
        answers = self._together(second)
        self._stacks(answers)
        self._pcs(answers)
        self._hyperpod_events(answers)
        self._logs(answers)
        return self.found

    @property
    def _of_deployment(self) -> bool:
        return self._target.subject in (None, "deploy")

    def _first(self) -> dict[str, Callable[[], Any]]:
        session, name = self._session, self._cluster.environment
        reads: dict[str, Callable[[], Any]] = {CALLER: partial(sts.caller, session)}
        if self._of_deployment:
            reads[_STACKS] = partial(stack_summaries, session)
            reads[_STATES] = partial(states_of, session, name)
        if self._cluster.on_hyperpod:
            reads[_CLUSTER] = partial(hyperpod.deployed_cluster, session, name)
            reads[_NODES] = partial(hyperpod.cluster_nodes, session, name)
            reads[_EVENTS] = partial(
                hyperpod_events.event_summaries,
                session,
                name,
                self._since.replace(microsecond=0),
                MAXIMUM_EVENTS,
            )
        if self._cluster.traits.service_runs_controller:
            reads[_PCS] = partial(pcs.cluster, session, name)
        if self._cluster.uses_slurm and self._target.subject != "deploy":
            reads[_STATE] = partial(_published, session, self._cluster)
        if self._cluster.uses_kubernetes and self._target.subject != "deploy":
            reads[_KUBERNETES] = partial(reading.scheduler, session, self._cluster, self._now)
        for prefix in failure_logs.prefixes(self._cluster):
            reads[f"{_LOGS} {prefix}"] = partial(log_group_names, session, prefix)
        if self._target.subject != "job":
            reads["purchased capacity"] = partial(of_capacity, session, self._cluster, self._now)
        if self._of_deployment:
            reads["FSx file systems"] = partial(
                failure_services.of_file_systems, session, self._cluster
            )
            reads["RDS databases"] = partial(failure_services.of_databases, session, self._cluster)
            if self._cluster.uses_kubernetes:
                reads["EKS health"] = partial(failure_services.of_kubernetes, session, name)
        return reads

    def _second(self) -> dict[str, Callable[[], Any]]:
        """Reads that need an answer of the first stage."""
        session = self._session
        reads: dict[str, Callable[[], Any]] = {}
        for stack in self._stack_list:
            reads[_stack_key(stack)] = partial(failures_of, session, stack)
        summaries = [s for s in self._answers.get(_EVENTS) or () if needs_metadata(s)]
        for summary in summaries[:MAXIMUM_DESCRIBED]:
            key = f"event {summary['EventId']}"
            reads[key] = partial(described, session, self._cluster.environment, summary)
        instances = self._instances()
        for group in self._log_groups():
            reads[f"log group {group}"] = partial(self._group, group, instances)
        if _PCS in self._answers:
            found = self._answers[_PCS]
            reads[_PCS_STATES] = partial(failure_services.of_pcs, session, found)
        return reads

    def _together(self, reads: Mapping[str, Callable[[], Any]]) -> dict[str, Any]:
        if not reads:
            return {}
        answers = read_together(
            reads,
            deadline_seconds=max(0.1, self._end - time.monotonic()),
            progress=self._progress,
        )
        kept = {}
        for name, answer in answers.items():
            if isinstance(answer, Refused):
                self._refuse(name, answer)
            else:
                kept[name] = answer
        return kept

    def _refuse(self, name: str, answer: Refused) -> None:
        self.found.unknown.append(NotRead(name, answer.reason, answer.hint or ""))

    def _note(self, what: str, count: int, noun: str) -> None:
        self.found.read.append(f"{what}: {count} {noun}{'' if count == 1 else 's'}")

    def _scheduler_state(self) -> None:
        if _STATE not in self._answers:
            return
        where = f"s3://{lifecycle_bucket(self._cluster)}/{scheduler.PUBLISHED}"
        text = self._answers[_STATE]
        publisher = publishing_node(self._cluster)
        if text is None and not self._exists():
            self._refuse(_STATE, without_cluster(_STATE, self._cluster))
            return
        if text is None:
            self.found.unknown.append(
                NotRead(
                    _STATE,
                    f"{publisher} has not published it: {where} does not exist",
                    f"see on {publisher}: systemctl status clusterwright-state",
                )
            )
            return
        view = parsed(
            text,
            environment=self._cluster.environment,
            now=self._now,
            publisher=publisher,
        )
        if view.unknown is not None:
            self.found.unknown.append(
                NotRead(_STATE, view.unknown.reason, view.unknown.hint or "")
            )
        if view.state is None:
            return
        for part in not_readable(view.state, "daemons", "nodes", "running", "pending"):
            self._refuse(part.what, part)
        document = json.loads(text)
        self.found.document = document
        self.found.names.update(scheduler.names_of(document))
        items = scheduler.of_document(document, self._target, self._now)
        self.found.evidence += items
        self._note(where, len(items), "statement")

    def _kubernetes_nodes(self) -> None:
        view = self._answers.get(_KUBERNETES)
        if view is None:
            return
        if view.unknown is not None:
            self._refuse(_KUBERNETES, view.unknown)
        if view.state is not None:
            self.found.names.update(failure_kubernetes.names_of(view.state))
            items = failure_kubernetes.of_nodes(view.state, self._target, self._now)
            self.found.evidence += items
            self._note(_KUBERNETES, len(items), "statement")

    def _exists(self) -> bool:
        """Whether the cluster exists, or may exist."""
        cluster = self._cluster
        if cluster.on_hyperpod:
            return self._answers.get(_CLUSTER, "") is not None
        if cluster.traits.service_runs_controller:
            return self._answers.get(_PCS, "") is not None
        return _STACKS not in self._answers or bool(self._stack_list)

    def _hyperpod_nodes(self) -> None:
        nodes = nodes_of(self._answers.get(_NODES) or ())
        self._listed = frozenset(node.instance for node in nodes if node.instance)
        self._satisfied = satisfied_groups(self._answers.get(_CLUSTER), nodes)
        for node in nodes:
            if node.instance and node.name:
                self.found.names.setdefault(node.instance, node.name)
        if _NODES in self._answers:
            self._note("SageMaker ListClusterNodes", len(nodes), "node")
            self.found.evidence += cluster_events.of_nodes(nodes)
            self.found.evidence += cluster_events.of_pending(nodes, self._now)
        report = self._answers.get(_CLUSTER)
        if report is not None:
            self._note("SageMaker DescribeCluster", 1, "cluster")
            self.found.evidence += cluster_events.of_cluster(
                self._cluster.environment,
                report.status,
                report.failure,
            )
            self.found.evidence += cluster_events.of_groups(missing_nodes(report))

    def _services(self) -> None:
        for name in (
            _STATES,
            "FSx file systems",
            "RDS databases",
            "EKS health",
            "purchased capacity",
        ):
            items = self._answers.get(name)
            if items is not None:
                self.found.evidence += items
                self._note(name, len(items), "failure")

    def _own_stacks(self) -> Sequence[StackSummary]:
        summaries = self._answers.get(_STACKS)
        if summaries is None:
            return ()
        own = stacks_of(summaries, self._cluster.environment, self._since)
        if not own:
            name = self._cluster.environment
            self.found.unknown.append(
                NotRead(
                    "the deployment",
                    f"no stack of {name} exists in {self._cluster.region}, in the account of "
                    "these credentials",
                    "check the account: aws sts get-caller-identity",
                )
            )
        return own

    def _stacks(self, answers: Mapping[str, Any]) -> None:
        for stack in self._stack_list:
            items = answers.get(_stack_key(stack))
            if items is not None:
                self.found.evidence += items
                self._note(_stack_key(stack), len(items), "failure")

    def _pcs(self, answers: Mapping[str, Any]) -> None:
        items = answers.get(_PCS_STATES)
        if items is not None:
            self.found.evidence += items
            self._note(_PCS_STATES, len(items), "failure")

    def _hyperpod_events(self, answers: Mapping[str, Any]) -> None:
        summaries = self._answers.get(_EVENTS)
        if summaries is None:
            return
        events = [
            answers.get(f"event {summary['EventId']}") or event_of(summary, {})
            for summary in summaries
        ]
        self.found.evidence += cluster_events.of_events(events, self._satisfied)
        self._note(_EVENTS, len(events), "event")

    def _instances(self) -> frozenset[str] | None:
        """Instances whose streams are read; None for all."""
        if self._target.subject not in ("node", "job"):
            return None
        if self._target.subject == "job":
            nodes = scheduler.nodes_of_job(self.found.document or {}, self._target.name)
        else:
            nodes = frozenset({self._target.name})
        found = {i for i, name in self.found.names.items() if name in nodes or i in nodes}
        return frozenset(found | nodes) if nodes else None

    def _log_groups(self) -> list[str]:
        found = self._answers.get(_PCS)
        ident = found.id if found is not None else None
        names = {
            group
            for key, groups in self._answers.items()
            if key.startswith(f"{_LOGS} ")
            for group in groups
            if failure_logs.is_own(group, self._cluster, ident)
        }
        if not names:
            self.found.read.append("log groups: none of this cluster")
        return sorted(names)

    def _group(self, group: str, instances: frozenset[str] | None) -> Any:
        streams = newest_streams(self._session, group, 10 * failure_logs.MAXIMUM_STREAMS)
        names = failure_logs.wanted(streams, self._since, instances)
        return (group, names, len(streams))

    def _is_over(self, stream: str) -> bool:
        """Whether a stream is of an instance that was replaced, and its group is complete or the
        stream is not about its start.
        """
        instance = failure_logs.instance_of(stream)
        summaries = self._answers.get(_EVENTS) or ()
        if not instance or instance in self._listed or not self._listed:
            return False
        if instance == self._target.name or not any(
            summary.get("InstanceId") == instance for summary in summaries
        ):
            return False
        groups = set(stream.split("/")) & self._satisfied
        return bool(groups) or not stream.startswith("LifecycleConfig/")

    def _logs(self, answers: Mapping[str, Any]) -> None:
        groups = [a for name, a in answers.items() if name.startswith("log group ")]
        reads = {
            f"log stream {group} {stream}": partial(
                failure_logs.lines_of, self._session, group, stream, self._since, self.found.names
            )
            for group, names, _ in groups
            for stream in names
        }
        found = self._together(reads)
        for group, names, _ in groups:
            lines = 0
            for stream in names:
                count, items = found.get(f"log stream {group} {stream}") or (0, ())
                if self._is_over(stream):
                    items = ()
                lines += count
                self.found.evidence += items
            self._note(f"log group {group}, {len(names)} streams", lines, "line")


def _stack_key(stack: StackSummary) -> str:
    return f"CloudFormation events of {stack.name} ({stack.status})"


def _published(session: AwsSession, cluster: Cluster) -> str | None:
    return s3.object_text(
        session, lifecycle_bucket(cluster), scheduler.PUBLISHED, maximum_bytes=_MAXIMUM_BYTES
    )
