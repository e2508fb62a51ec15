"""CreateCluster, DescribeCluster, DeleteCluster, and the outcome of creations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any

from clusterwright_localaws.core import moto_state, quotas
from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.catalog_facts import catalog, ec2_name, quota_code
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.core.runtime import Runtime
from clusterwright_localaws.services.sagemaker import governance, plans, role_rights, rules, views
from clusterwright_localaws.services.sagemaker.events import record
from clusterwright_localaws.services.sagemaker.node_faults import LIFECYCLE_FAILED
from clusterwright_localaws.services.sagemaker.orchestrator import check_orchestrator
from clusterwright_localaws.services.sagemaker.provision import (
    Shortage,
    clear,
    provision,
    remove,
    use_network,
)
from clusterwright_localaws.services.sagemaker.state import (
    DEFAULT_IMAGE_RELEASE,
    NEVER,
    Cluster,
    Clusters,
    Group,
    Node,
    clusters_of,
    count_nodes,
    new_cluster_id,
    of_type,
    specification_of,
)

# HyperPod retries failed launches; how often is not documented.
RETRY_SECONDS = 30


@operation("sagemaker", "CreateCluster")
def create_cluster(call: Call) -> Mapping[str, Any]:
    clusters = clusters_of(call)
    request = dict(call.parameters)
    name = str(request["ClusterName"])
    if name in clusters.by_name:
        arn = clusters.by_name[name].arn
        raise AwsError("ResourceInUse", f"Resource already in use: {arn}")
    rules.check_request(request, name=name)
    check_roles(call, request)
    rules.check_network(clusters, request)
    check_orchestrator(call, clusters, request)
    rules.check_offerings(call, clusters, request)
    rules.check_quotas(call, clusters, {}, request)
    cluster = Cluster(
        name=name,
        arn=call.arn("sagemaker", f"cluster/{new_cluster_id()}"),
        account=call.account,
        region=call.region,
        created_at=call.now,
        request={k: v for k, v in request.items() if k != "Tags"},
        tags=list(request.get("Tags", ())),
    )
    for kind in ("InstanceGroups", "RestrictedInstanceGroups"):
        for requested in request.get(kind, ()):
            cluster.groups[requested["InstanceGroupName"]] = new_group(requested, kind)
    clusters.by_name[name] = cluster
    use_network(clusters, cluster)
    record(cluster, f"Cluster {name} creation started successfully", call.now)
    shortages = provision(clusters, cluster, cluster.groups.values())
    cluster.at(
        clusters.settle_at(), lambda when: finish_create(clusters, cluster, shortages, when)
    )
    clusters.advance()
    return {"ClusterArn": cluster.arn}


@operation("sagemaker", "DescribeCluster")
def describe_cluster(call: Call) -> Mapping[str, Any]:
    def plan_status(arn: str) -> str:
        plan = plans.plan_in(call.runtime, call.account, call.region, arn)
        return plan.status_at(call.now) if plan else "Expired"

    cluster = clusters_of(call).find(call.parameters["ClusterName"])
    return views.cluster(cluster, call.now, plan_status)


@operation("sagemaker", "DeleteCluster")
def delete_cluster(call: Call) -> Mapping[str, Any]:
    clusters = clusters_of(call)
    cluster = clusters.find(call.parameters["ClusterName"])
    if cluster.status == "Deleting":
        raise AwsError("ConflictException", f"Cluster {cluster.name} is already being deleted.")
    policies = governance.attached_policies(call.runtime, cluster)
    if policies:
        raise AwsError(
            "ConflictException",
            f"Cluster {cluster.name} has task governance policies attached: "
            f"{', '.join(policy.arn for policy in policies)}. Delete them first.",
        )
    cluster.status = "Deleting"
    cluster.scheduled.clear()
    cluster.waiting.clear()
    for group in cluster.groups.values():
        group.status = "Deleting"
    record(cluster, f"Cluster {cluster.name} deletion started successfully", call.now)

    def gone(_: datetime) -> None:
        clusters.network.release(cluster.arn)
        clusters.by_name.pop(cluster.name, None)

    clear(clusters, cluster, clusters.settle_at(), gone)
    return {"ClusterArn": cluster.arn}


def new_group(requested: Mapping[str, Any], kind: str) -> Group:
    return Group(
        specification=specification_of(requested),
        target_count=int(requested["InstanceCount"]),
        min_count=requested.get("MinInstanceCount"),
        restricted=kind == "RestrictedInstanceGroups",
        release=str(requested.get("ImageReleaseVersion") or DEFAULT_IMAGE_RELEASE),
    )


def check_roles(call: Call, request: Mapping[str, Any]) -> None:
    """Check that roles of the caller's account exist and trust SageMaker, or HyperPod for scaling.

    The message is SageMaker's for every API that takes a role.
    """
    roles = {
        (str(group["ExecutionRole"]), role_rights.SAGEMAKER) for group in rules.all_groups(request)
    }
    if request.get("ClusterRole"):
        roles.add((str(request["ClusterRole"]), role_rights.HYPERPOD))
    backend = moto_state.backend("iam", call.account, call.partition)
    for arn, principal in sorted(roles):
        if arn.split(":")[4] != call.account:
            continue
        role = next((role for role in list(backend.roles.values()) if role.arn == arn), None)
        trusted = role is not None and (
            role_rights.trusts_principal(role, principal)
            if call.world.iam == "enforced"
            else "sagemaker" in str(role.assume_role_policy_document)
        )
        if not trusted:
            raise rules.invalid(
                f"Could not assume role {arn}. Please ensure that the role exists and allows "
                f"principal '{principal}' to assume the role."
            )
    if call.world.iam == "enforced":
        lacking = role_rights.missing_network_right(
            call.runtime, call.region, call.account, request
        )
        if lacking is not None:
            raise rules.invalid(
                f"The execution role {lacking[0]} does not have permission to perform "
                f"{lacking[1]}, which a cluster in a VPC of the account needs."
            )


def finish_create(
    clusters: Clusters, cluster: Cluster, shortages: list[Shortage], when: datetime
) -> None:
    """Complete a creation once the nodes that determine it are no longer Pending."""
    failure = cluster.doomed or _broken_while_driven(cluster, when)
    if failure is None:
        if wait_for_nodes(
            cluster,
            _deciding(cluster),
            when,
            lambda later: finish_create(clusters, cluster, shortages, later),
        ):
            return
        failure = creation_failure(cluster, shortages, when)
    if failure is None:
        settle_groups(clusters, cluster, shortages, when)
        cluster.status = "InService"
        record(cluster, f"Cluster {cluster.name} creation completed successfully", when)
        if cluster.continuous:
            keep_trying(clusters, cluster)
        return
    cluster.status = "RollingBack"
    cluster.failure = failure
    record(
        cluster,
        f"Cluster {cluster.name} creation failed",
        when,
        level="Error",
        metadata={"Cluster": {"FailureMessage": failure}},
    )

    def rolled_back(_: datetime) -> None:
        cluster.status = "Failed"
        for group in cluster.groups.values():
            group.status = "Failed"

    due = when + timedelta(seconds=clusters.runtime.world.delays.cluster)
    clear(clusters, cluster, due, rolled_back)


def creation_failure(
    cluster: Cluster, shortages: Iterable[Shortage], when: datetime
) -> str | None:
    """Return why a cluster's creation fails, or `None`.

    All or nothing: any missing or broken instance. Continuous: only the controller and login
    groups count (AWS, "Continuous provisioning ... with Slurm"), and, which AWS does not document,
    a shortage that no retry can resolve, such as a full subnet.
    """
    if not cluster.continuous:
        for shortage in shortages:
            return shortage.message
        return broken_now(cluster, when)
    broken = [n for n in cluster.nodes() if n.status_at(when) == "Failure"]
    for shortage in shortages:
        priority = shortage.group.slurm_role in ("Controller", "Login")
        if shortage.final or (priority and not shortage.group.live()):
            return shortage.message
    for node in broken:
        if cluster.groups[node.group_name].slurm_role == "Controller":
            return node.message or LIFECYCLE_FAILED
    return None


def settle_groups(
    clusters: Clusters, cluster: Cluster, shortages: Iterable[Shortage], when: datetime
) -> None:
    """Set the status of every group after an operation; roll back groups below MinCount."""
    short = {shortage.group.name: shortage for shortage in shortages}
    for group in cluster.groups.values():
        shortage = short.get(group.name)
        minimum = group.min_count or 0
        if shortage is not None and len(group.live()) < minimum:
            roll_back_group(clusters, cluster, group, shortage, when)
        elif group.status not in ("Deleting", "Failed"):
            group.status = "InService"
            group.failure = None
            group.kubernetes_before = None
            group.before_rollback = (group.target_count, group.min_count)


def roll_back_group(
    clusters: Clusters, cluster: Cluster, group: Group, shortage: Shortage, when: datetime
) -> None:
    """Roll back a group 3 hours after MinInstanceCount was not met (here: after the delay).

    New groups return to zero, existing groups to their last counts; the group is InService then.
    """
    target = group.min_count
    group.target_count, group.min_count = group.before_rollback
    group.failure = (
        f"Instance group {group.name} rolled back: MinInstanceCount {target} was not met. "
        f"{shortage.message}"
    )
    group.status = "InService"
    cluster.failure = group.failure
    surplus = group.live()[group.target_count :]
    record(
        cluster,
        f"Instance Group {group.name} Scaling in Cluster {cluster.name} failed",
        when,
        level="Error",
        group=group,
        metadata={
            "InstanceGroupScaling": {
                "InstanceCount": len(group.live()),
                "TargetCount": group.target_count,
                "MinCount": target or 0,
                "FailureMessage": group.failure,
            }
        },
    )
    if surplus:
        remove(clusters, cluster, group, surplus)


def keep_trying(clusters: Clusters, cluster: Cluster) -> None:
    """Retry the failed launches of a continuous cluster."""

    def retry(when: datetime) -> None:
        cluster.retrying = False
        wanting = [g for g in cluster.groups.values() if len(g.live()) < g.target_count]
        if not wanting or cluster.status == "Deleting":
            return
        provision(clusters, cluster, wanting)
        keep_trying(clusters, cluster)

    wanting = any(len(group.live()) < group.target_count for group in cluster.groups.values())
    if wanting and not cluster.retrying:
        cluster.retrying = True
        now = clusters.runtime.clock.now()
        cluster.at(now + timedelta(seconds=RETRY_SECONDS), retry)


def wait_for_nodes(
    cluster: Cluster, nodes: Iterable[Node], when: datetime, look: Callable[[datetime], None]
) -> bool:
    """Schedule another check if nodes are Pending: at their time, or when their driver reports."""
    pending = [node for node in nodes if node.status_at(when) == "Pending"]
    if not pending:
        return False
    later = max((node.ready_at for node in pending if not node.driven), default=NEVER)
    if later == NEVER:
        cluster.waiting.append(look)
    else:
        cluster.at(later, look)
    return True


def broken_now(cluster: Cluster, when: datetime, *, but: Iterable[str] = ()) -> str | None:
    """Return the failure of the first broken node, of nodes that are not in `but` (instance
    ids).
    """
    known = set(but)
    for node in cluster.nodes():
        if node.status_at(when) == "Failure" and node.instance_id not in known:
            return node.message or LIFECYCLE_FAILED
    return None


def _broken_while_driven(cluster: Cluster, when: datetime) -> str | None:
    """Return what fails a creation before the last node has reported, or `None`."""
    if not any(node.driven for node in cluster.nodes()):
        return None
    return creation_failure(cluster, (), when)


def _deciding(cluster: Cluster) -> list[Node]:
    return [
        node
        for group in cluster.groups.values()
        if not cluster.continuous or group.slurm_role in ("Controller", "Login")
        for node in group.live()
    ]


def _register_usage() -> None:
    """Return the usage of an instance quota by clusters."""

    @quotas.counts_usage("sagemaker", rules.INSTANCES_IN_ALL_CLUSTERS)
    def total(runtime: Runtime, account: str, region: str) -> float:
        return count_nodes(runtime, account, region, lambda *_: True)

    @quotas.counts_usage("sagemaker", rules.SPOT_INSTANCES_IN_ALL_CLUSTERS)
    def spot(runtime: Runtime, account: str, region: str) -> float:
        return count_nodes(runtime, account, region, lambda _, group: group.spot)

    for name in sorted(catalog().hyperpod_names):
        instance_type = ec2_name(name)
        for use, is_spot in (("hyperpod-cluster", False), ("hyperpod-spot", True)):
            code = quota_code(instance_type, use)
            if code is not None:
                _count_type(code, instance_type, spot=is_spot)
    plans.register_usage()


def _count_type(code: str, instance_type: str, *, spot: bool) -> None:
    @quotas.counts_usage("sagemaker", code)
    def used(runtime: Runtime, account: str, region: str) -> float:
        return count_nodes(runtime, account, region, of_type(instance_type, spot=spot))


_register_usage()
