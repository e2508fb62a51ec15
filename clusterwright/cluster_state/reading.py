"""Reads a deployed cluster: every call that does not depend on another is sent at once.

The longest chain of dependent calls is the pages of the list of nodes (HyperPod returns 100 at a
time), or two calls where the scheduler's view is the Kubernetes API's.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final

from clusterwright.aws import eks, sts
from clusterwright.aws.cloudformation import stacks
from clusterwright.aws.errors import AwsUnavailable
from clusterwright.aws.session import AwsSession
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.recorded_spec import recorded_in
from clusterwright.cluster_state.account import CALLER, OTHER_ACCOUNT_HINT, other_account
from clusterwright.cluster_state.capacity import capacity_state, purchases
from clusterwright.cluster_state.deep_health import deep_health_results
from clusterwright.cluster_state.kubernetes_view import kubernetes_view
from clusterwright.cluster_state.not_read import NotRead
from clusterwright.cluster_state.parallel import Progress, read_together
from clusterwright.cluster_state.parts import EVERY_PART, Part
from clusterwright.cluster_state.platform_views import platform_cluster, platform_nodes
from clusterwright.cluster_state.published import (
    SchedulerView,
    publishing_node,
    scheduler_view,
    without_cluster,
)
from clusterwright.cluster_state.results import ClusterState
from clusterwright.platforms.hyperpod.instance_groups import lifecycle_bucket
from clusterwright.platforms.kubernetes.control_plane import cluster_name
from clusterwright.platforms.stack_names import PARTS, stack_name

NOT_DEPLOYED: Final = ("DELETE_COMPLETE", "REVIEW_IN_PROGRESS")

_NODES: Final = "the nodes"
_CLUSTER: Final = "the cluster"
_SCHEDULER: Final = "the scheduler's view"
_DEPLOYED: Final = "the deployed spec"
_RULES: Final = "the rules of security groups"
_DEEP_HEALTH: Final = "the results of HyperPod's deep health checks"


def read_cluster(
    session: AwsSession,
    cluster: Cluster,
    *,
    now: dt.datetime,
    deadline_seconds: float,
    progress: Progress | None = None,
    parts: Collection[Part] = EVERY_PART,
    changed_rules: Callable[[], tuple[str, ...] | NotRead] | None = None,
) -> ClusterState:
    """Read what the operating commands show; what AWS refuses is unknown.

    With the credentials of another account everything is.

    Parameters
    ----------
    progress:
        Called after each answer.
    parts:
        What to read; the others are unknown.
    changed_rules:
        Compares the rules of security groups with the deployed templates.
    """
    bought = purchases(cluster)
    wanted = _reads(session, cluster, now)
    reads = {name: read for name, (part, read) in wanted.items() if part in parts}
    if changed_rules is not None and "rules" in parts:
        reads[_RULES] = changed_rules
    try:
        session.require_credentials(service="sts", operation="GetCallerIdentity")
    except AwsUnavailable as error:
        answers: Mapping[str, Any] = {name: NotRead.from_error(name, error) for name in reads}
    else:
        answers = read_together(
            {**reads, CALLER: partial(sts.caller, session)},
            deadline_seconds=deadline_seconds,
            progress=progress,
        )
        reason = other_account(answers[CALLER], cluster.account)
        if reason is not None:
            answers = {name: NotRead(name, reason, OTHER_ACCOUNT_HINT) for name in reads}
    found = {
        name: answers.get(name, NotRead(name, "this command does not read it")) for name in wanted
    }
    return ClusterState(
        read_at=now,
        stacks=_stacks([found[_stack_key(part)] for part in PARTS]),
        deployed_spec=found[_DEPLOYED],
        cluster=found[_CLUSTER],
        nodes=found[_NODES],
        scheduler=_view(found, cluster),
        capacity={name: found[_capacity_key(name)] for name in bought},
        deep_health=found.get(_DEEP_HEALTH, {}),
        changed_rules=answers.get(_RULES),
    )


def _reads(
    session: AwsSession, cluster: Cluster, now: dt.datetime
) -> dict[str, tuple[Part, Callable[[], Any]]]:
    """The part and the call of everything that can be read, the longest chain of calls first."""
    environment = cluster.environment
    recorded = partial(_recorded, session, stack_name(environment, "cluster"))
    return {
        _NODES: ("nodes", partial(platform_nodes, session, cluster)),
        _CLUSTER: ("cluster", partial(platform_cluster, session, cluster)),
        _SCHEDULER: ("scheduler", partial(scheduler, session, cluster, now)),
        _DEPLOYED: ("deployed-spec", recorded),
        **{
            _stack_key(part): (
                "stacks",
                partial(stacks.stack, session, stack_name(environment, part)),
            )
            for part in PARTS
        },
        **(
            {_DEEP_HEALTH: ("deep-health", partial(deep_health_results, session, cluster, now))}
            if cluster.on_hyperpod
            else {}
        ),
        **{
            _capacity_key(name): ("capacity", partial(capacity_state, session, name, kind))
            for name, kind in purchases(cluster).items()
        },
    }


def read_nodes(
    session: AwsSession,
    cluster: Cluster,
    before: ClusterState,
    *,
    now: dt.datetime,
    deadline_seconds: float,
) -> ClusterState:
    """Read nodes and the scheduler's view again; the rest is that of `before`."""
    found = read_together(
        {
            _NODES: partial(platform_nodes, session, cluster),
            _SCHEDULER: partial(scheduler, session, cluster, now),
        },
        deadline_seconds=deadline_seconds,
    )
    return replace(before, read_at=now, nodes=found[_NODES], scheduler=_view(found, cluster))


def _view(found: Mapping[str, Any], cluster: Cluster) -> SchedulerView:
    """The scheduler's view among the answers, of which None means that there is no cluster."""
    answer = found[_SCHEDULER]
    view = SchedulerView(None, answer) if isinstance(answer, NotRead) else answer
    exists = found[_NODES] is not None and found.get(_CLUSTER, "") is not None
    if exists or view.unknown is None or not cluster.uses_slurm:
        return view
    return replace(view, unknown=without_cluster(_SCHEDULER, cluster))


def scheduler(session: AwsSession, cluster: Cluster, now: dt.datetime) -> SchedulerView:
    """The scheduler's view: what Slurm's controller published, or the Kubernetes API.

    Raises
    ------
    AwsUnavailable
        EKS did not return the address of the Kubernetes API.
    """
    if cluster.uses_slurm:
        return scheduler_view(
            session,
            lifecycle_bucket(cluster),
            environment=cluster.environment,
            now=now,
            publisher=publishing_node(cluster),
        )
    found = eks.kubernetes_cluster(session, cluster_name(cluster))
    if found is None:
        what = f"there is no EKS cluster {cluster_name(cluster)}"
        return SchedulerView(None, NotRead("the Kubernetes API's view", what))
    return kubernetes_view(cluster.environment, found.endpoint, cluster.region, now=now)


def _stacks(answers: list[Any]) -> tuple[stacks.Stack, ...] | NotRead:
    """The deployed stacks; unknown if one of the answers is missing."""
    refused = next((answer for answer in answers if isinstance(answer, NotRead)), None)
    if refused is not None:
        return refused
    return tuple(
        answer for answer in answers if answer is not None and answer.status not in NOT_DEPLOYED
    )


def _recorded(session: AwsSession, name: str) -> str | None:
    """The resolved spec that the deployed template of the nodes records; None without one."""
    try:
        body = stacks.template(session, name)
    except AwsUnavailable as error:
        # CloudFormation has no error code for a missing stack.
        if error.code == "ValidationError" and "does not exist" in error.detail:
            return None
        raise
    return recorded_in(body or {})


def deployed_spec(state: ClusterState) -> Mapping[str, Any] | None:
    """The recorded spec as a mapping; None if it is unknown, not recorded or not JSON."""
    if not isinstance(state.deployed_spec, str):
        return None
    try:
        found = json.loads(state.deployed_spec)
    except ValueError:
        return None
    return found if isinstance(found, Mapping) else None


def _stack_key(part: str) -> str:
    return f"the stack {part}"


def _capacity_key(name: str) -> str:
    return f"the capacity {name}"
