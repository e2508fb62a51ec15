"""Failures that FSx, RDS, EKS, Auto Scaling and sellers of capacity report."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping
from typing import Any, Final

from clusterwright.aws import failure_reports, pcs
from clusterwright.aws.cloudformation.stacks import stack_resources
from clusterwright.aws.errors import AwsUnavailable
from clusterwright.aws.session import AwsSession
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.diagnosis.model import Evidence
from clusterwright.platforms.stack_names import stack_name

_BAD_FILE_SYSTEMS: Final = ("FAILED", "MISCONFIGURED", "MISCONFIGURED_UNAVAILABLE")
_HEALTHY_DATABASES: Final = (
    "available",
    "backing-up",
    "configuring-enhanced-monitoring",
    "configuring-iam-database-auth",
    "configuring-log-exports",
    "creating",
    "deleting",
    "maintenance",
    "modifying",
    "rebooting",
    "renaming",
    "resetting-master-credentials",
    "starting",
    "storage-optimization",
    "upgrading",
)
_BAD_PCS_STATES: Final = ("SUSPENDED", "SUSPENDING")
_BAD_NODE_GROUPS: Final = ("CREATE_FAILED", "DELETE_FAILED", "DEGRADED")


def of_file_systems(session: AwsSession, cluster: Cluster) -> tuple[Evidence, ...]:
    """Failures of the cluster's file systems, their data repositories and tasks.

    Raises
    ------
    AwsUnavailable
        AWS did not answer; the same for the other functions.
    """
    found: list[Evidence] = []
    own = {fs.existing.id for fs in cluster.storage.lustre if fs.existing is not None}
    own |= _resources(session, stack_name(cluster.environment, "storage"))
    for answer in failure_reports.file_systems(session):
        ident = str(answer["FileSystemId"])
        if ident not in own:
            continue
        found += _file_system(ident, answer)
        if answer.get("FileSystemType") == "LUSTRE":
            found += _repositories(session, ident)
    return tuple(found)


def of_databases(session: AwsSession, cluster: Cluster) -> tuple[Evidence, ...]:
    """DB instances of the cluster in a state that is no success."""
    own = _resources(session, stack_name(cluster.environment, "accounting"))
    return tuple(
        Evidence(
            kind="database",
            source="RDS DescribeDBInstances",
            id=str(answer["DBInstanceIdentifier"]),
            time=None,
            text=f"state {answer['DBInstanceStatus']}",
            resource=str(answer["DBInstanceIdentifier"]),
            failed=True,
        )
        for answer in failure_reports.databases(session)
        if answer["DBInstanceIdentifier"] in own
        and str(answer.get("DBInstanceStatus")) not in _HEALTHY_DATABASES
    )


def of_kubernetes(session: AwsSession, name: str) -> tuple[Evidence, ...]:
    """Health issues of an EKS cluster, its node groups and add-ons, and failed launches."""
    control_plane = failure_reports.kubernetes_cluster(session, name)
    if control_plane is None:
        return ()
    found = list(_issues(name, control_plane.get("status"), control_plane.get("health")))
    for group in failure_reports.node_groups(session, name):
        label = str(group["nodegroupName"])
        found += _issues(label, group.get("status"), group.get("health"))
        scaling = (group.get("resources") or {}).get("autoScalingGroups") or ()
        for entry in scaling:
            found += of_scaling(session, str(entry["name"]))
    for add_on in failure_reports.add_ons(session, name):
        found += _issues(str(add_on["addonName"]), add_on.get("status"), add_on.get("health"))
    return tuple(found)


def of_pcs(session: AwsSession, cluster: pcs.Cluster | None) -> tuple[Evidence, ...]:
    """Failures of a PCS cluster, its groups and queues; none if it does not exist."""
    if cluster is None:
        return ()
    found = list(_pcs_part("cluster", cluster))
    for group in pcs.groups(session, cluster.name):
        found += _pcs_part("node-group", group)
    for queue in pcs.queues(session, cluster.name):
        found += _pcs_part("node-group", queue)
    return tuple(found)


def of_scaling(session: AwsSession, group: str) -> Iterator[Evidence]:
    """Failed activities of an Auto Scaling group after its last successful launch."""
    for activity in failure_reports.scaling_activities(session, group):
        status = activity.get("StatusCode")
        if status == "Successful" and "Launching" in str(activity.get("Description")):
            return
        message = str(activity.get("StatusMessage") or "")
        if status == "Failed" or (status == "Cancelled" and message):
            yield Evidence(
                kind="scaling-activity",
                source=f"Auto Scaling activities of {group}",
                id=str(activity["ActivityId"]),
                time=activity.get("StartTime"),
                text=message or f"{status}: {activity.get('Cause')}",
                resource=group,
                failed=status == "Failed",
            )


def _file_system(ident: str, answer: Mapping[str, Any]) -> Iterator[Evidence]:
    reports = [(answer.get("Lifecycle"), answer.get("FailureDetails"))]
    reports += [
        (action.get("Status"), action.get("FailureDetails"))
        for action in answer.get("AdministrativeActions") or ()
    ]
    for state, details in reports:
        if state in _BAD_FILE_SYSTEMS:
            message = str((details or {}).get("Message") or "")
            yield _evidence("file-system", "FSx DescribeFileSystems", ident, state, message, ident)


def _repositories(session: AwsSession, ident: str) -> Iterator[Evidence]:
    for found in failure_reports.data_repository_associations(session, ident):
        if found.get("Lifecycle") in ("FAILED", "MISCONFIGURED"):
            message = str((found.get("FailureDetails") or {}).get("Message") or "")
            where = f"{found.get('FileSystemPath')} → {found.get('DataRepositoryPath')}"
            yield _evidence(
                "data-repository",
                "FSx DescribeDataRepositoryAssociations",
                str(found["AssociationId"]),
                found["Lifecycle"],
                f"data repository {where}: {message}",
                ident,
                path=str(found.get("DataRepositoryPath") or ""),
            )
    tasks = failure_reports.data_repository_tasks(session, ident)
    newest = max(tasks, key=lambda task: task["CreationTime"], default=None)
    if newest is not None and newest.get("Lifecycle") == "FAILED":
        message = str((newest.get("FailureDetails") or {}).get("Message") or "")
        yield _evidence(
            "data-repository",
            "FSx DescribeDataRepositoryTasks",
            str(newest["TaskId"]),
            "FAILED",
            f"data repository task {newest.get('Type')}: {message}",
            ident,
            time=newest.get("EndTime"),
        )


def _evidence(
    kind: str,
    source: str,
    ident: str,
    state: object,
    message: str,
    file_system: str,
    *,
    path: str = "",
    time: dt.datetime | None = None,
) -> Evidence:
    return Evidence(
        kind=kind,
        source=source,
        id=ident,
        time=time,
        text=f"{state}: {message}" if message else str(state),
        resource=file_system,
        failed=True,
        fields={"file_system": file_system, "path": path},
    )


def _issues(name: str, status: object, health: object) -> Iterator[Evidence]:
    issues = health.get("issues") if isinstance(health, Mapping) else None
    texts = [
        f"{issue.get('code')}: {issue.get('message')}"
        for issue in issues or ()
        if isinstance(issue, Mapping)
    ]
    if not texts and status in _BAD_NODE_GROUPS:
        texts = [str(status)]
    for text in texts:
        yield Evidence(
            kind="node-group",
            source=f"EKS health of {name}",
            id=name,
            time=None,
            text=text,
            resource=name,
            failed=True,
        )


def _pcs_part(kind: str, part: pcs.Cluster | pcs.Part) -> Iterator[Evidence]:
    if not part.status.endswith("_FAILED") and part.status not in _BAD_PCS_STATES:
        return
    for error in part.errors or ("",):
        yield Evidence(
            kind=kind,
            source=f"PCS state of {part.name}",
            id=part.id,
            time=None,
            text=f"{part.status}: {error}" if error else part.status,
            resource=part.name,
            failed=True,
        )


def _resources(session: AwsSession, stack: str) -> frozenset[str]:
    """Physical ids of a stack's resources; none if it is not deployed."""
    try:
        return frozenset(found.physical_id for found in stack_resources(session, stack))
    except AwsUnavailable as error:
        if error.code == "ValidationError" and "does not exist" in error.detail:
            return frozenset()
        raise
