"""Acceptance of nodes on Kubernetes: the program, its permissions, and the Jobs that it starts.

`CronJob/acceptance` is the controller: on its schedule (with `acceptance.hold`) or for
`clusterwright accept` it starts a Job for each node, then indexed Jobs for pairs of nodes, from
the template of the node's group, writes the results to the nodes and removes the taint of those
that are accepted. The templates are CronJobs that are suspended for ever, because a template in a
Job could not be changed. `Deployment/acceptance-hold` puts the taint on nodes that are not ready
or boot again as soon as that is known; it has no other right than to follow and patch nodes.

Sources: Kubernetes, "CronJob", "Indexed Job", "Using RBAC authorization", "Pod security
standards", "Well-known labels, annotations and taints"; Karpenter, "NodePools" (startupTaints).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import Any, Final

from clusterwright import files as file_access
from clusterwright.catalog import Catalog
from clusterwright.cluster_spec import repository_root
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.platforms import accelerators
from clusterwright.platforms.kubernetes.acceptance_hold import HOLD, hold_deployment
from clusterwright.platforms.kubernetes.acceptance_pods import (
    LIBRARY,
    NAMESPACE,
    PROGRAM,
    STATE_FOLDER,
    api_container,
    api_pod,
    map_key,
    map_name,
    pod_template,
    program_mounts,
    program_volumes,
)
from clusterwright.platforms.kubernetes.groups import (
    ACCEPTANCE_TAINT,
    EFA,
    efa_count,
    group_labels,
    has_efa,
    job_groups,
    node_resources,
    tolerations,
)
from clusterwright.platforms.kubernetes.metrics import UnknownProgramError
from clusterwright.platforms.kubernetes.objects import Manifest, manifest, object_name

CONTROLLER: Final = "acceptance"
SERVICE: Final = "acceptance"
COMMON: Final = "clusterwright_common"
GROUP_LABEL: Final = "clusterwright.dev/acceptance-group"
SCHEDULE: Final = "*/2 * * * *"
RECHECK_PRIORITY: Final = "clusterwright-acceptance-recheck"
"""`clusterwright_acceptance.kubernetes_program` has it too."""
_LOWEST_PRIORITY: Final = -1_000_000
_RBAC: Final = "rbac.authorization.k8s.io"
_TEST: Final = "acceptance-test"
_NEVER: Final = "0 0 1 1 *"
_LONGEST_CRON_JOB: Final = 52
"""Kubernetes, "CronJob": the names of its Jobs have eleven characters more."""


def acceptance_manifests(cluster: Cluster, catalog: Catalog) -> Iterator[Manifest]:
    """Return the objects in the order of application; nothing without `acceptance.image`.

    Raises
    ------
    UnknownProgramError
        The acceptance program's files are missing.
    UnknownFactError
        The catalogue lacks a value for an instance type.
    """
    image = cluster.acceptance.image
    if image is None:
        return
    groups = job_groups(cluster)
    programs = _folders({**_files(PROGRAM, groups), **_files(COMMON, groups)})
    expected = {group.name: _expected(cluster, group, catalog) for group in groups}
    digest = hashlib.sha256(json.dumps([programs, expected], sort_keys=True).encode()).hexdigest()
    # Tests read the node's devices and its kernel's log, which no tenant's pod may do.
    yield manifest(
        "v1",
        "Namespace",
        NAMESPACE,
        labels={"pod-security.kubernetes.io/enforce": "privileged"},
    )
    yield from _permissions()
    for name, content in programs.items():
        yield manifest(
            "v1",
            "ConfigMap",
            map_name(name),
            namespace=NAMESPACE,
            data={map_key(path): text for path, text in sorted(content.items())},
        )
    yield manifest(
        "v1",
        "ConfigMap",
        "expected",
        namespace=NAMESPACE,
        data={f"{name}.json": text for name, text in expected.items()},
    )
    # Gives the pods of an indexed Job names, by which the ranks of an all-reduce find the first.
    yield manifest(
        "v1",
        "Service",
        SERVICE,
        namespace=NAMESPACE,
        spec={
            "clusterIP": "None",
            "publishNotReadyAddresses": True,
            "selector": {"app.kubernetes.io/name": _TEST},
        },
    )
    if cluster.acceptance.recheck_hours is not None:
        # The scheduler ends pods of re-checks for pods of users, and none for them.
        yield manifest(
            "scheduling.k8s.io/v1",
            "PriorityClass",
            RECHECK_PRIORITY,
            value=_LOWEST_PRIORITY,
            preemptionPolicy="Never",
            globalDefault=False,
            description="Acceptance of idle nodes, again",
        )
    for group in groups:
        yield _template(cluster, group, catalog, image, programs, digest)
    yield _controller(cluster, image, programs, digest)
    yield hold_deployment(cluster, groups, image, programs, digest)


def template_name(group: str) -> str:
    """Return the name of the CronJob that is the template of a group's Jobs."""
    name = object_name("nodes", group)
    if len(name) <= _LONGEST_CRON_JOB:
        return name
    return f"nodes-{hashlib.sha256(group.encode()).hexdigest()[:16]}"


def _files(package: str, groups: list[ComputeGroup]) -> dict[str, str]:
    root = repository_root.root()
    scripts = root / repository_root.SCRIPTS if root is not None else None
    if scripts is None or not (scripts / package).is_dir():
        raise UnknownProgramError(f"{repository_root.SCRIPTS}/{package} is missing")
    found = {
        str(path.relative_to(scripts)): file_access.read_text(path)
        for path in sorted((scripts / package).rglob("*"))
        if path.suffix in (".py", ".json")
    }
    types = f"{package}/instance_types.json"
    if types in found:
        # Only the cluster's types: a ConfigMap has a limit.
        content = json.loads(found[types])
        wanted = {group.instance_type for group in groups}
        content["types"] = {k: v for k, v in content["types"].items() if k in wanted}
        found[types] = json.dumps(content, indent=1, sort_keys=True)
    return found


def _folders(files: dict[str, str]) -> dict[str, dict[str, str]]:
    """Return the files by folder: each is a ConfigMap, of which `kubectl apply` keeps a copy.

    The copy is an annotation, which holds 256 KiB.
    """
    found: dict[str, dict[str, str]] = {}
    for path, text in files.items():
        found.setdefault(path.rpartition("/")[0], {})[path] = text
    return found


def _expected(cluster: Cluster, group: ComputeGroup, catalog: Catalog) -> str:
    """Return the file of what a node should be (`clusterwright_acceptance.expected`).

    Its name is in the pod's environment. File systems are mounted by pods, not by the node.
    """
    settings = cluster.acceptance
    floors = [row for row in settings.floors if not row.groups or group.name in row.groups]
    waivers = [row for row in settings.waivers if not row.groups or group.name in row.groups]
    sized = [row for row in floors if row.size_mib is not None or row.node_count is not None]
    content = {
        "schema_version": 1,
        "node": "",
        "instance_type": group.instance_type,
        "kind": accelerators.family(group.instance_type, catalog),
        "efa": has_efa(group, catalog),
        "lustre": [],
        "home_path": None,
        "scratch_path": None,
        "group": group.name,
        "floors": {row.check: row.minimum for row in floors if row not in sized},
        "sized_floors": [
            {
                "check": row.check,
                "minimum": row.minimum,
                "size_mib": row.size_mib,
                "node_count": row.node_count,
            }
            for row in sized
        ],
        "waivers": [
            {
                "check": row.check,
                "reason": " ".join(row.reason.split()),
                "expires": row.expires.isoformat(),
                "nodes": list(row.nodes),
            }
            for row in waivers
        ],
        "programs": {},
    }
    return json.dumps(content, indent=1, sort_keys=True)


def _permissions() -> Iterator[Manifest]:
    # Nodes have no namespace, and a role cannot be limited to single fields or to names that are
    # not known yet: both may change any field of any node. They patch two, and one.
    yield from _nodes_account(CONTROLLER, NAMESPACE, _rules("nodes", "get", "list", "patch"))
    hold = [
        *_rules("nodes", "list", "watch", "patch"),
        # Pods of users that were bound to a node before it was known to be away: they are in
        # every namespace. It cannot delete them. That it evicts only those that never started is
        # the program's choice: a role cannot say it.
        *_rules("pods", "list"),
        *_rules("pods/eviction", "create"),
    ]
    yield from _nodes_account(HOLD, f"{NAMESPACE}-hold", hold)
    yield manifest(
        f"{_RBAC}/v1",
        "Role",
        CONTROLLER,
        namespace=NAMESPACE,
        rules=[
            # The templates of the groups' Jobs.
            {"apiGroups": ["batch"], "resources": ["cronjobs"], "verbs": ["list"]},
            # The tests, which it ends when their time is over.
            {"apiGroups": ["batch"], "resources": ["jobs"], "verbs": ["create", "delete"]},
            # Their states and exit codes, and what they print.
            {"apiGroups": [""], "resources": ["pods"], "verbs": ["list"]},
            {"apiGroups": [""], "resources": ["pods/log"], "verbs": ["get"]},
            # Reports, baselines and histories; old reports are deleted.
            {
                "apiGroups": [""],
                "resources": ["configmaps"],
                "verbs": ["get", "list", "create", "update", "delete"],
            },
        ],
    )
    yield manifest(
        f"{_RBAC}/v1",
        "RoleBinding",
        CONTROLLER,
        namespace=NAMESPACE,
        roleRef={"apiGroup": _RBAC, "kind": "Role", "name": CONTROLLER},
        subjects=[_subject(CONTROLLER)],
    )


def _rules(resource: str, *verbs: str) -> list[dict[str, Any]]:
    return [{"apiGroups": [""], "resources": [resource], "verbs": list(verbs)}]


def _nodes_account(account: str, role: str, rules: list[dict[str, Any]]) -> Iterator[Manifest]:
    """Return a service account with rights to nodes, and others without a namespace."""
    yield manifest("v1", "ServiceAccount", account, namespace=NAMESPACE)
    yield manifest(
        f"{_RBAC}/v1",
        "ClusterRole",
        role,
        rules=rules,
    )
    yield manifest(
        f"{_RBAC}/v1",
        "ClusterRoleBinding",
        role,
        roleRef={"apiGroup": _RBAC, "kind": "ClusterRole", "name": role},
        subjects=[_subject(account)],
    )


def _subject(account: str) -> dict[str, str]:
    return {"kind": "ServiceAccount", "name": account, "namespace": NAMESPACE}


def _template(
    cluster: Cluster,
    group: ComputeGroup,
    catalog: Catalog,
    image: str,
    programs: dict[str, dict[str, str]],
    digest: str,
) -> Manifest:
    """Return the template of the Jobs that test nodes of a group."""
    pod = {
        "automountServiceAccountToken": False,
        "containers": [_test_container(group, catalog, image)],
        # The clock's daemon answers on the node's loopback address only.
        "hostNetwork": True,
        "dnsPolicy": "ClusterFirstWithHostNet",
        "subdomain": SERVICE,
        "nodeSelector": group_labels(cluster, group),
        "restartPolicy": "Never",
        "terminationGracePeriodSeconds": 10,
        "tolerations": [
            {"key": ACCEPTANCE_TAINT, "operator": "Exists", "effect": "NoSchedule"},
            *tolerations(group),
        ],
        "volumes": [
            *program_volumes(programs),
            {"name": "expected", "configMap": {"name": "expected"}},
            {"name": "state", "hostPath": {"path": STATE_FOLDER, "type": "DirectoryOrCreate"}},
            {
                "name": "run",
                "hostPath": {"path": "/run/clusterwright", "type": "DirectoryOrCreate"},
            },
            {"name": "shared-memory", "emptyDir": {"medium": "Memory"}},
        ],
    }
    job = {
        "backoffLimit": 0,
        "completionMode": "Indexed",
        "completions": 1,
        "parallelism": 1,
        "ttlSecondsAfterFinished": 3600,
        "template": pod_template(pod, _TEST, digest),
    }
    return _cron_job(
        template_name(group.name), job, schedule=_NEVER, suspend=True, group=group.name
    )


def _test_container(group: ComputeGroup, catalog: Catalog, image: str) -> dict[str, Any]:
    node = node_resources(group, catalog)
    limits = {name: str(count) for name, count in node.devices().items()}
    if has_efa(group, catalog):
        limits[EFA] = str(efa_count(group, catalog))
    return {
        "name": "test",
        "image": image,
        "command": ["python3", "-B", "-m", PROGRAM, "plan"],
        "env": [
            {
                "name": "CLUSTERWRIGHT_NODE",
                "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}},
            },
            {"name": "PYTHONPATH", "value": LIBRARY},
        ],
        # All devices of the node: a test never runs beside a job.
        "resources": {
            "requests": {"cpu": "1", "memory": "4Gi", **limits},
            **({"limits": limits} if limits else {}),
        },
        # The kernel's log (Xid), the devices of disks, locked memory.
        "securityContext": {"privileged": True, "runAsUser": 0},
        "volumeMounts": [
            *program_mounts(),
            {
                "name": "expected",
                "mountPath": "/etc/clusterwright/acceptance.json",
                "subPath": f"{group.name}.json",
                "readOnly": True,
            },
            # The journal of a run that was killed, and the history of Xids over weeks.
            {"name": "state", "mountPath": STATE_FOLDER},
            {"name": "run", "mountPath": "/run/clusterwright"},
            {"name": "shared-memory", "mountPath": "/dev/shm"},  # noqa: S108
        ],
    }


def _controller(
    cluster: Cluster, image: str, programs: dict[str, dict[str, str]], digest: str
) -> Manifest:
    settings = cluster.acceptance
    command = [
        "kubernetes",
        f"--namespace={NAMESPACE}",
        f"--level={settings.level}",
        *(["--hold"] if settings.hold else []),
        *([f"--recheck-hours={settings.recheck_hours}"] if settings.recheck_hours else []),
        "--held",
    ]
    container = api_container("controller", image, command, cpu="100m", memory="256Mi")
    pod = {**api_pod(CONTROLLER, container, programs), "restartPolicy": "Never"}
    job = {
        "backoffLimit": 0,
        "ttlSecondsAfterFinished": 86_400,
        "template": pod_template(pod, CONTROLLER, digest),
    }
    works = settings.hold or settings.recheck_hours is not None
    return _cron_job(CONTROLLER, job, schedule=SCHEDULE, suspend=not works)


def _cron_job(
    name: str, job: dict[str, Any], *, schedule: str, suspend: bool, group: str | None = None
) -> Manifest:
    return manifest(
        "batch/v1",
        "CronJob",
        name,
        namespace=NAMESPACE,
        labels={GROUP_LABEL: group} if group is not None else None,
        spec={
            "schedule": schedule,
            # Two runs at once would test the same nodes.
            "concurrencyPolicy": "Forbid",
            "startingDeadlineSeconds": 100,
            "successfulJobsHistoryLimit": 3,
            "failedJobsHistoryLimit": 3,
            "suspend": suspend,
            "jobTemplate": {"spec": job},
        },
    )
