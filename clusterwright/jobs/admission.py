"""What operators of training jobs refuse when a job is created, by their own validation.

Only conditions on the object itself, and only such as defaults do not fill in. A name that a
program replaces is not judged.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from clusterwright.jobs.manifest_file import Item, text_at
from clusterwright.preflight.results import Severity

LABEL_LENGTH: Final = 63
"""Characters of a DNS label and of the value of a label (Kubernetes documentation, names)."""

RAY_CLUSTER_NAME: Final = 53
RAY_JOB_NAME: Final = 47
"""kuberay, utils/constant.go: MaxRayClusterNameLength, MaxRayJobNameLength."""

_NAME: Final = re.compile(r"[A-Za-z0-9._-]+")
_REPLACED: Final = re.compile(r"[A-Z0-9]+(?:_[A-Z0-9]+)+")
_DNS_1035: Final = re.compile(r"[a-z](?:[-a-z0-9]*[a-z0-9])?")
_QUEUE: Final = "kueue.x-k8s.io/queue-name"


@dataclass(frozen=True)
class Refusal:
    """A condition that the operator's validation refuses, and where it is in the manifest."""

    message: str
    at: Item
    hint: str | None = None
    severity: Severity | None = None
    """Of a condition that not every version of the operator refuses."""


def refusals(document: Item) -> Iterator[Refusal]:
    """Yield what the operator of the object's kind refuses; nothing for other kinds."""
    key = f"{text_at(document, 'apiVersion')} {text_at(document, 'kind')}"
    validate = _VALIDATIONS.get(key)
    if validate is not None and document.get("spec") is not None:
        yield from validate(document)


def _number(item: Item | None, *keys: str) -> int | None:
    found = item.get(*keys) if item is not None else None
    return found.number if found is not None else None


def _members(item: Item, *keys: str) -> tuple[Item, ...]:
    found = item.get(*keys)
    return tuple(found.members()) if found is not None else ()


def _name(document: Item) -> str | None:
    """The object's name; None if a program fills it in, or the API server chooses it."""
    text = text_at(document, "metadata", "name")
    return text if text is not None and _NAME.fullmatch(text) and not _replaced(text) else None


def _replaced(text: str) -> bool:
    return _REPLACED.fullmatch(text) is not None


def _label(document: Item, longest: int = LABEL_LENGTH) -> Iterator[Refusal]:
    """The object's name is a DNS label of at most `longest` characters."""
    name, at = _name(document), document.get("metadata", "name")
    if name is None or at is None:
        return
    if len(name) > longest:
        yield Refusal(f"the name {name} has {len(name)} characters, and at most {longest} fit", at)
    elif not _DNS_1035.fullmatch(name):
        yield Refusal(
            f"the name {name} is no DNS label: lowercase letters, digits and -, a letter first", at
        )


# --- kubeflow: pkg/webhooks/pytorch of the training operator, pkg/apis/kubeflow/validation of the
# MPI operator


def _pytorch_job(document: Item) -> Iterator[Refusal]:
    yield from _label(document)
    policy = document.get("spec", "elasticPolicy", "nProcPerNode")
    if policy is not None and document.get("spec", "nprocPerNode") is not None:
        yield Refusal("nProcPerNode of the elastic policy is not used with nprocPerNode", policy)
    specs = document.get("spec", "pytorchReplicaSpecs")
    for role, replica in specs.entries() if specs is not None else ():
        if role.text not in ("Master", "Worker"):
            if role.text is not None:
                yield Refusal(f"a PyTorchJob has no {role.text}", role, "Master or Worker")
            continue
        number, at = _number(replica, "replicas"), replica.get("replicas") or role
        if role.text == "Master" and number is not None and number != 1:
            yield Refusal(f"the job has {number} masters", at, "replicas: 1, and a Worker")
        if role.text == "Worker" and number == 0:
            yield Refusal(
                "the job has 0 workers: new operators refuse it, and old ones create one",
                at,
                "leave out the Worker",
            )
        yield from _main_container(replica, role, "pytorch")


def _main_container(replica: Item, role: Item, needed: str) -> Iterator[Refusal]:
    """The operator adds its variables to the container of this name, and refuses without one."""
    containers = _members(replica, "template", "spec", "containers")
    names = [text_at(one, "name") for one in containers]
    if not names or None in names or needed in names or any(_replaced(n) for n in names if n):
        return
    yield Refusal(
        f"no container of {role.text} has the name {needed}, by which the operator finds it",
        containers[0].get("name") or role,
        f"name: {needed}",
        "warning",
    )


def _mpi_job(document: Item) -> Iterator[Refusal]:
    specs = document.get("spec", "mpiReplicaSpecs")
    if specs is None:
        return
    launcher, workers = specs.get("Launcher"), specs.get("Worker", "replicas")
    if launcher is None:
        yield Refusal("the job has no Launcher", specs)
    elif (number := _number(launcher, "replicas")) is not None and number != 1:
        yield Refusal(f"the job has {number} launchers", launcher.get("replicas") or launcher)
    if workers is not None and workers.number == 0:
        yield Refusal("the job has 0 workers", workers, "leave out the Worker")
    name, count = _name(document), (workers.number if workers is not None else None) or 1
    last = f"{name}-worker-{count - 1}"
    at = document.get("metadata", "name")
    if name is not None and at is not None and len(last) > LABEL_LENGTH:
        yield Refusal(f"the last worker's name {last} has more than {LABEL_LENGTH} characters", at)


# --- jobset: pkg/webhooks/jobset_webhook.go


def _job_set(document: Item) -> Iterator[Refusal]:
    jobs = _members(document, "spec", "replicatedJobs")
    names = [text_at(one, "name") for one in jobs]
    if jobs and jobs[0].get("dependsOn") is not None:
        yield Refusal("the first replicated job depends on another", jobs[0].get("dependsOn"))  # type: ignore[arg-type]
    name, at = _name(document), document.get("metadata", "name")
    for own, job in zip(names, jobs, strict=True):
        if name is None or at is None or own is None or not _NAME.fullmatch(own):
            continue
        replicas = _number(job, "replicas") if job.get("replicas") is not None else 1
        longest = f"{name}-{own}-{max((replicas or 1) - 1, 0)}"
        pods = _number(job, "template", "spec", "completions")
        if pods and text_at(job, "template", "spec", "completionMode") == "Indexed":
            longest = f"{longest}-{pods - 1}-abcde"
        if len(longest) > LABEL_LENGTH:
            yield Refusal(
                f"names of pods and jobs like {longest} have more than {LABEL_LENGTH} characters",
                at,
                "a shorter name of the JobSet or of the replicated job",
            )
            return
    if None in names:
        return
    for target in _members(document, "spec", "successPolicy", "targetReplicatedJobs"):
        if target.text is not None and target.text not in names:
            yield Refusal(f"the success policy names no replicated job: {target.text}", target)
    yield from _coordinator(document, dict(zip(names, jobs, strict=True)))


def _coordinator(document: Item, jobs: Mapping[str | None, Item]) -> Iterator[Refusal]:
    found = document.get("spec", "coordinator")
    role = text_at(document, "spec", "coordinator", "replicatedJob")
    if found is None or role is None:
        return
    if role not in jobs:
        yield Refusal(f"the coordinator is in no replicated job: {role}", found)
        return
    index, pod = (_number(found, key) or 0 for key in ("jobIndex", "podIndex"))
    replicas = _number(jobs[role], "replicas") if jobs[role].get("replicas") is not None else 1
    pods = _number(jobs[role], "template", "spec", "completions")
    if replicas is not None and index >= replicas:
        yield Refusal(f"the coordinator has the index {index} of {replicas} jobs", found)
    if pods is not None and pod >= pods:
        yield Refusal(f"the coordinator has the index {pod} of {pods} pods", found)
    name = _name(document)
    domain = text_at(document, "spec", "network", "subdomain") or name
    value = f"{name}-{role}-{index}-{pod}.{domain}"
    if name is not None and len(value) > LABEL_LENGTH:
        yield Refusal(
            f"the coordinator's label {value} has {len(value)} characters, and a label at most "
            f"{LABEL_LENGTH}",
            document.get("metadata", "name") or found,
            "a shorter name of the JobSet, or network.subdomain",
        )


# --- kuberay: controllers/ray/utils/validation.go; kueue: pkg/controller/jobs/rayjob


def _ray_job(document: Item) -> Iterator[Refusal]:
    yield from _label(document, RAY_JOB_NAME)
    spec = document.get("spec")
    if spec is None:
        return
    ends = spec.get("shutdownAfterJobFinishes")
    stays = ends is None or ends.text == "false"
    lifetime, suspend = spec.get("ttlSecondsAfterFinished"), spec.get("suspend")
    selector = spec.get("clusterSelector")
    if stays and lifetime is not None and lifetime.number:
        yield Refusal(
            "ttlSecondsAfterFinished has no effect, or is refused, without "
            "shutdownAfterJobFinishes: the cluster stays",
            lifetime,
            "shutdownAfterJobFinishes: true",
        )
    if suspend is not None and suspend.text == "true":
        if stays:
            yield Refusal(
                "a RayJob whose cluster stays is not suspended",
                suspend,
                "shutdownAfterJobFinishes: true",
            )
        if selector is not None:
            yield Refusal("a RayJob of an existing cluster is not suspended", suspend)
    elif stays and selector is None and document.get("metadata", "labels", _QUEUE) is not None:
        yield Refusal(
            "Kueue refuses a RayJob whose cluster stays after the job",
            ends or spec,
            "shutdownAfterJobFinishes: true",
        )
    if selector is None and spec.get("rayClusterSpec") is None:
        yield Refusal("the job has neither rayClusterSpec nor clusterSelector", spec)
    cluster = spec.get("rayClusterSpec")
    if cluster is not None:
        yield from _ray_groups(cluster)


def _ray_cluster(document: Item) -> Iterator[Refusal]:
    yield from _label(document, RAY_CLUSTER_NAME)
    spec = document.get("spec")
    if spec is not None:
        yield from _ray_groups(spec)


def _ray_groups(cluster: Item) -> Iterator[Refusal]:
    head = cluster.get("headGroupSpec")
    groups = _members(cluster, "workerGroupSpecs")
    for group in groups:
        least, most = _number(group, "minReplicas"), _number(group, "maxReplicas")
        if least is not None and most is not None and least > most:
            yield Refusal(
                f"minReplicas is {least}, and maxReplicas {most}",
                group.get("minReplicas") or group,
            )
    for group in (*([head] if head is not None else []), *groups):
        resources = group.get("rayStartParams", "resources")
        if resources is not None and (resources.text or "").startswith("{"):
            yield Refusal(
                "the shell of `ray start` removes the quotes of resources, and splits them at "
                "spaces",
                resources,
                """in quotes of the shell: '"{\\"NAME\\": 1}"'""",
            )


# --- volcano: pkg/webhooks/admission/jobs/validate/admit_job.go


def _volcano_job(document: Item) -> Iterator[Refusal]:
    tasks = _members(document, "spec", "tasks")
    names: set[str] = set()
    total = 0
    for task in tasks:
        replicas = _number(task, "replicas") if task.get("replicas") is not None else 1
        least, name = task.get("minAvailable"), task.get("name")
        total = total + replicas if replicas is not None else 10**9
        if least is not None and least.number is not None and least.number > (replicas or 10**9):
            yield Refusal(
                f"minAvailable is {least.number}, and the task has {replicas} replicas", least
            )
        if name is not None and name.text is not None:
            if name.text in names:
                yield Refusal(f"two tasks have the name {name.text}", name)
            names.add(name.text)
    least = document.get("spec", "minAvailable")
    if least is not None and least.number is not None and tasks and least.number > total:
        yield Refusal(
            f"minAvailable is {least.number}, and the tasks have {total} replicas: the job never "
            "starts",
            least,
        )


_VALIDATIONS: Final[Mapping[str, Callable[[Item], Iterator[Refusal]]]] = {
    "kubeflow.org/v1 PyTorchJob": _pytorch_job,
    "kubeflow.org/v2beta1 MPIJob": _mpi_job,
    "jobset.x-k8s.io/v1alpha2 JobSet": _job_set,
    "ray.io/v1 RayJob": _ray_job,
    "ray.io/v1 RayCluster": _ray_cluster,
    "batch.volcano.sh/v1alpha1 Job": _volcano_job,
}
