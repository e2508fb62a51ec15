"""Builds manifests of jobs: the jobs that `render kubernetes` writes, with a job's own commands.

Devices, volumes, selectors, queues and annotations come from `platforms/kubernetes/jobs.py`.
"""

from __future__ import annotations

import io
import re
import shlex
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

from ruamel.yaml import YAML
from ruamel.yaml.scalarstring import LiteralScalarString

from clusterwright.cluster_spec.models import formats
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.models.tenants import Tenant
from clusterwright.cluster_spec.models.workloads import Job
from clusterwright.cluster_spec.validation.workloads import queued
from clusterwright.job_templates.facts import Target
from clusterwright.job_templates.settings import SettingError
from clusterwright.job_templates.slurm import (
    END,
    communication,
    fragment,
    heading,
    training_variables,
)
from clusterwright.job_templates.template import Context, RefusedError
from clusterwright.platforms.kubernetes import tenants
from clusterwright.platforms.kubernetes.groups import UnknownFactError, job_nodes
from clusterwright.platforms.kubernetes.job_sets import (
    DEFINITIONS,
    JOB_SET,
    TRAIN_JOB,
    batch_job_of,
    job_set,
    pod_of,
    train_job,
)
from clusterwright.platforms.kubernetes.jobs import (
    GOVERNED_PRIORITY_SUFFIX,
    PRIORITY_LABEL,
    job_manifest,
    server_manifests,
    task_manifest,
)
from clusterwright.platforms.kubernetes.objects import TENANT_LABEL, Manifest, manifest
from clusterwright.platforms.kubernetes.operators import HYPERPOD_JOB, job_kinds
from clusterwright.platforms.kubernetes.values import FRAMEWORKS

PROGRAMS: Final = "/opt/clusterwright"
"""Where pods have the job's scripts."""

_TRIES: Final = 6
"""Of a task: the default of Kubernetes."""
_EXIT_ENVIRONMENT: Final = 92
_LONGEST_NAME: Final = 40
"""Of a job in the spec: names of pods and services are made of it."""


def check(context: Context) -> None:
    """Check the settings that only manifests have. Raises SettingError, RefusedError."""
    run, image = context.text("run"), context.optional("image")
    if not re.fullmatch(formats.OBJECT_NAME.pattern, run) or len(run) > _LONGEST_NAME:
        raise SettingError(
            f"--set run: {run!r} is not {formats.OBJECT_NAME.description}",
            f"at most {_LONGEST_NAME} characters, such as --set run=pretrain-8b",
        )
    if image is not None and not re.fullmatch(formats.IMAGE_DIGEST.pattern, image):
        raise SettingError(
            f"--set image: {image} is not {formats.IMAGE_DIGEST.description}",
            "nodes of Kubernetes pull images from a registry",
        )
    if context.ends is not None and not context.template.trains:
        raise SettingError(
            "--set capacity_ends: a job of Kubernetes has no deadline at a time of day",
            "state how long it may run: --set time=MINUTES",
        )
    stated = context.optional("priority")
    known = priorities(context.cluster)
    if stated is not None and stated not in known:
        raise SettingError(
            f"--set priority: the spec has no priority {stated!r}",
            f"it has {', '.join(known)}" if known else "add it to kubernetes.workloads.priorities",
        )
    _check_kind(context)
    most = most_nodes(context.target, {"tenant": tenant(context).name})
    if context.nodes > most:
        raise SettingError(
            f"--set nodes: {context.nodes} nodes, and jobs of {tenant(context).name} can have "
            f"{most} of {context.target.group.name}",
            f"at most nodes={most}" if most else "another tenant, or a larger share",
        )


def priorities(cluster: Cluster) -> tuple[str, ...]:
    """Priorities of jobs: of task governance, else of Kubernetes."""
    governed = cluster.hyperpod.task_governance
    if governed is not None:
        return tuple(each.name for each in governed.priority_classes)
    return tuple(each.name for each in cluster.kubernetes.workloads.priorities)


def tenant_named(cluster: Cluster, name: str | None) -> Tenant:
    """Return a tenant; without a name the only one. Raises RefusedError, SettingError."""
    known = tenants.tenants_of(cluster)
    if name is None:
        if len(known) == 1:
            return known[0]
        raise RefusedError(
            "the spec has several tenants, and the job belongs to one of them",
            f"--set tenant=NAME, one of {', '.join(each.name for each in known)}",
        )
    for each in known:
        if each.name == name.strip():
            return each
    raise SettingError(
        f"--set tenant: the spec has no tenant {name!r}",
        f"it has {', '.join(each.name for each in known)}",
    )


def tenant(context: Context) -> Tenant:
    """Return the tenant of the job."""
    return tenant_named(context.cluster, context.optional("tenant"))


def most_nodes(target: Target, given: Mapping[str, str]) -> int:
    """Return how many of the target's nodes the jobs of the tenant can use.

    Raises RefusedError, SettingError.
    """
    owner = tenant_named(target.cluster, given.get("tenant"))
    index = tenants.tenants_of(target.cluster).index(owner)
    nominal = tenants.nominal_nodes(target.cluster)[target.group.name][index]
    return tenants.most_nodes(owner, nominal, job_nodes(target.cluster, target.group))


def job(
    context: Context,
    kind: Literal["pytorch", "hyperpod-pytorch", "nccl-tests"],
    command: Sequence[str],
    *,
    max_restarts: int,
) -> Manifest:
    """Return a job with the devices, volumes, queue and labels of the cluster.

    Raises
    ------
    RefusedError
        The catalogue has no value that the manifest needs.
    """
    cluster, owner = context.cluster, _owner(context)
    wanted = _wanted(context, kind, command, max_restarts)
    try:
        found = job_manifest(cluster, context.catalog, wanted, owner)
    except UnknownFactError as error:
        raise RefusedError(f"{context.template.name}: {error}") from None
    _prioritise(context, found)
    minutes = context.optional("time")
    if minutes is not None:
        found["spec"]["runPolicy"]["activeDeadlineSeconds"] = minutes * 60
    return found


def _wanted(
    context: Context,
    kind: Literal["pytorch", "hyperpod-pytorch", "nccl-tests"],
    command: Sequence[str],
    max_restarts: int,
) -> Job:
    paged = dict(communication(context)).get("FI_EFA_USE_HUGE_PAGE") != "0"
    wanted = Job(
        name=context.text("run"),
        kind=kind,
        group=context.target.group.name,
        node_count=context.nodes,
        image=context.text("image"),
        command=list(command),
        max_restarts=max_restarts,
    )
    return wanted if paged else wanted.model_copy(update={"hugepages_mib": 0})


def tasks(
    context: Context,
    lines: Sequence[str],
    programs: Mapping[str, str],
    *,
    count: int = 1,
    cpus: int | None = None,
    environment: Sequence[tuple[str, str]] = (),
) -> str:
    """Return an indexed Job and the ConfigMap with its scripts.

    Parameters
    ----------
    lines:
        Of the script: RUN_PATH is a folder of its own, and TASK the number of one of several.
    count, cpus:
        Tasks, and CPUs of each; without `cpus` a task has a whole node.

    Raises
    ------
    RefusedError
        The catalogue has no value that the manifest needs.
    """
    run = context.text("run")
    wanted = Job(
        name=run,
        kind="pytorch",
        group=context.target.group.name,
        node_count=count,
        image=context.text("image"),
        command=["/bin/bash", f"{PROGRAMS}/run.sh"],
        max_restarts=_TRIES * count,
    )
    owner = _owner(context)
    try:
        found = task_manifest(
            context.cluster,
            context.catalog,
            wanted,
            owner,
            cpus=cpus,
            ends_job=[_EXIT_ENVIRONMENT],
        )
    except UnknownFactError as error:
        raise RefusedError(f"{context.template.name}: {error}") from None
    _prioritise(context, found)
    found["spec"]["activeDeadlineSeconds"] = context.count("time") * 60
    first = (
        *(("TASK=${JOB_COMPLETION_INDEX:-0}",) if count > 1 else ()),
        f'RUN_PATH="{context.run_path}/$HOSTNAME"',
        'mkdir -p "$RUN_PATH" || fail "$EXIT_ENVIRONMENT" "$RUN_PATH cannot be created"',
    )
    script = _script(environment, ("\n".join((*first, *(line for line in lines if line))),))
    pod = found["spec"]["template"]["spec"]
    return file(
        context, _with_programs(found, pod, run, {**programs, "run.sh": f"{script}\n"}), found
    )


def _with_programs(
    found: Manifest, pod: dict[str, Any], run: str, data: Mapping[str, str]
) -> Manifest:
    """Mount a ConfigMap of scripts in the first container of a pod, and return it."""
    pod["volumes"].append({"name": "programs", "configMap": {"name": f"{run}-programs"}})
    pod["containers"][0]["volumeMounts"].append(
        {"name": "programs", "mountPath": PROGRAMS, "readOnly": True}
    )
    metadata = found["metadata"]
    return manifest(
        "v1",
        "ConfigMap",
        f"{run}-programs",
        namespace=metadata["namespace"],
        labels={TENANT_LABEL: metadata["labels"][TENANT_LABEL]},
        data=dict(data),
    )


def server(
    context: Context, lines: Sequence[str], *, port: int, health_path: str, start_seconds: int
) -> str:
    """Return the Deployment, the Service and the ConfigMap of a server on one node.

    Raises
    ------
    RefusedError
        The catalogue has no value that the manifests need.
    """
    run = context.text("run")
    wanted = Job(
        name=run,
        kind="pytorch",
        group=context.target.group.name,
        node_count=1,
        image=context.text("image"),
        command=["/bin/bash", f"{PROGRAMS}/run.sh"],
        hugepages_mib=0,
    )
    try:
        deployment, service = server_manifests(
            context.cluster,
            context.catalog,
            wanted,
            _owner(context),
            port=port,
            health_path=health_path,
            start_seconds=start_seconds,
        )
    except UnknownFactError as error:
        raise RefusedError(f"{context.template.name}: {error}") from None
    _prioritise(context, deployment)
    script = _script((), ("\n".join(line for line in lines if line),))
    pod = deployment["spec"]["template"]["spec"]
    scripts = _with_programs(deployment, pod, run, {"run.sh": f"{script}\n"})
    return file(context, scripts, deployment, service)


def _owner(context: Context) -> Tenant:
    """The tenant, with the priority of the job where Kubernetes has it."""
    owner, priority = tenant(context), context.optional("priority")
    if priority is not None and context.cluster.hyperpod.task_governance is None:
        return owner.model_copy(update={"priority": priority})
    return owner


def _prioritise(context: Context, found: Manifest) -> None:
    """Set the priority of the job where task governance has it."""
    priority = context.optional("priority")
    if priority is not None and context.cluster.hyperpod.task_governance is not None:
        found["metadata"]["labels"][PRIORITY_LABEL] = f"{priority}{GOVERNED_PRIORITY_SUFFIX}"


def training(
    context: Context,
    program: str,
    arguments: Sequence[str],
    *,
    marker: str,
    environment: Sequence[tuple[str, str]] = (),
    programs: Mapping[str, str] | None = None,
    preparation: Sequence[str] = (),
    last_step: int = 0,
    tracker: str = "",
    keep: int = 2,
    prunes: bool = False,
) -> str:
    """Return a training job of the platform's operator, with its scripts in a ConfigMap.

    Parameters
    ----------
    program, arguments:
        The program's path and arguments, as a shell takes them.
    marker, tracker, keep:
        As of `slurm.script`.
    programs:
        Texts by file name, which pods have in `/opt/clusterwright`.
    preparation:
        Lines of the script before the program.
    last_step:
        Of the run, where the program ends with 0 also when it has saved early.
    prunes:
        Whether the job removes old checkpoints, because the framework does not.

    Raises
    ------
    RefusedError
        The cluster lacks what the job needs.
    """
    kind = context.text("job_kind")
    operated = kind == "platform" and HYPERPOD_JOB in job_kinds(context.cluster)
    step = " \\\n  ".join((f"{_launcher(context, operated)} {program}", *arguments))
    lines = [*training_variables(context, marker), f"SAVE_SIGNAL={context.template.save_signal}"]
    lines.append(f"LAST_STEP={last_step}")
    if tracker:
        lines += [f"TRACKER={tracker}", f"KEEP={keep}"]
    if prunes:
        # One pod of the job: all have the same folder.
        preparation = (*preparation, 'if [[ "$HOSTNAME" == *-0 ]]; then prune_while_running & fi')
    names = ("checkpoints", "pod_training", *(("tracker",) if tracker else ()))
    script = _script(
        (*communication(context), *environment),
        ("\n".join(lines), *(fragment(name) for name in names), "begin_training"),
        ("\n".join(line for line in preparation if line), f"{step} &\n{END}"),
    )
    run, command = context.text("run"), ["/bin/bash", f"{PROGRAMS}/run.sh"]
    restarts = context.count("restarts")
    before: tuple[Manifest, ...] = ()
    if kind == "platform":
        found = job(
            context,
            "hyperpod-pytorch" if operated else "pytorch",
            command,
            max_restarts=restarts,
        )
        pod = _restarted_pod(context, found, operated)
    else:
        before, found, pod = _set_of_pods(context, kind, command, restarts)
    pod["terminationGracePeriodSeconds"] = context.count("save_minutes") * 60 + 60
    scripts = _with_programs(found, pod, run, {**(programs or {}), "run.sh": f"{script}\n"})
    return file(context, scripts, *before, found)


def _set_of_pods(
    context: Context, kind: str, command: Sequence[str], max_restarts: int
) -> tuple[tuple[Manifest, ...], Manifest, dict[str, Any]]:
    """What a JobSet or TrainJob refers to, the object itself, and the pod of both."""
    cluster, owner = context.cluster, _owner(context)
    wanted = _wanted(context, "pytorch", command, max_restarts)
    before: tuple[Manifest, ...] = ()
    try:
        if kind == "JobSet":
            found = job_set(cluster, context.catalog, wanted, owner)
            spec = found["spec"]
        else:
            runtime, found = train_job(cluster, context.catalog, wanted, owner)
            before, spec = (runtime,), runtime["spec"]["template"]["spec"]
    except UnknownFactError as error:
        raise RefusedError(f"{context.template.name}: {error}") from None
    minutes = context.optional("time")
    if minutes is not None:
        batch_job_of(spec)["activeDeadlineSeconds"] = minutes * 60
    return before, found, pod_of(spec)


def kind_notes(context: Context) -> tuple[str, ...]:
    """What a user installs for a kind of job that no add-on or chart of the stacks has."""
    kind = context.optional("job_kind")
    if context.cluster.uses_slurm or kind in (None, "platform"):
        return ()
    definitions = DEFINITIONS[JOB_SET if kind == "JobSet" else TRAIN_JOB]
    return (
        f"nothing here installs the controller of {kind}: `kubectl get "
        f"{' '.join(f'crd/{name}' for name in definitions)}` shows whether it is there",
    )


def _check_kind(context: Context) -> None:
    """Refuse a kind of job that the queues do not have. Raises RefusedError."""
    kind = context.optional("job_kind")
    if kind in (None, "platform"):
        return
    name = context.template.name
    if context.cluster.hyperpod.task_governance is not None:
        raise RefusedError(
            f"{name}: whether the queues of task governance take a {kind} is unknown",
            "leave job_kind out",
        )
    if kind == "TrainJob" and queued(context.cluster):
        raise RefusedError(
            f"{name}: Kueue would not queue a TrainJob: its configuration has "
            f"{', '.join(FRAMEWORKS)}",
            "--set job_kind=JobSet, or leave job_kind out",
        )


def _restarted_pod(context: Context, found: Manifest, operated: bool) -> dict[str, Any]:
    """The pod of a training job, whose restarts are set as the operator takes them."""
    spec = found["spec"]
    if operated:
        pod: dict[str, Any] = spec["replicaSpecs"][0]["template"]["spec"]
    else:
        worker = spec["pytorchReplicaSpecs"]["Worker"]
        pod = worker["template"]["spec"]
        if context.cluster.on_hyperpod:
            # Auto-resume requires OnFailure (SageMaker developer guide, "Running jobs using the
            # SageMaker HyperPod CLI"); the limit counts the containers of all pods.
            spec["runPolicy"]["backoffLimit"] *= context.nodes
        else:
            worker["restartPolicy"] = "ExitCode"
    return pod


def _script(environment: Sequence[tuple[str, str]], *parts: Sequence[str]) -> str:
    """A script of pods: the shared part, variables, then the parts."""
    first = (
        "#!/bin/bash",
        "set -o errexit -o nounset -o pipefail",
        fragment("pod"),
        "\n".join(f"export {name}={shlex.quote(value)}" for name, value in environment),
    )
    every = (*first, *(text for part in parts for text in part))
    return "\n\n".join(text for text in every if text)


def _launcher(context: Context, operated: bool) -> str:
    if operated:
        each = context.target.accelerators
        return f"hyperpodrun --nnodes={context.nodes} --nproc-per-node={each}"
    return "torchrun --max-restarts=0"


def file(context: Context, *objects: Manifest) -> str:
    """Return objects as YAML documents for `kubectl apply`, scripts as blocks."""
    writer = YAML()
    writer.width = 4096
    writer.indent(mapping=2, sequence=4, offset=2)
    stream = io.StringIO()
    for each in objects:
        stream.write("---\n")
        writer.dump(_with_blocks(each), stream)
    return f"{heading(context)}\n{stream.getvalue()}"


def _with_blocks(value: Any) -> Any:
    """Texts of several lines as blocks, keys sorted."""
    if isinstance(value, dict):
        return {key: _with_blocks(value[key]) for key in sorted(value)}
    if isinstance(value, list):
        return [_with_blocks(each) for each in value]
    if isinstance(value, str) and "\n" in value:
        return LiteralScalarString(value)
    return value
