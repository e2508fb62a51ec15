"""A container of a manifest as a job: what rules on launchers and variables of batch scripts ask.

The pods of a job correspond to the nodes of a batch job, and the container's program to a step
with one task on each. `rule.JobRule.containers` says which rules are about programs and variables
only, not about Slurm, and so hold for containers too.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final

from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.jobs.job import Job, Kind
from clusterwright.jobs.job_file import JobFile, Step
from clusterwright.jobs.manifest_file import Container, Item, Pod, text_at
from clusterwright.jobs.manifests import Manifests
from clusterwright.jobs.options import Option
from clusterwright.jobs.shell import Assignment, Command, Script, Word
from clusterwright.platforms.kubernetes.groups import EFA, GPU, NEURON

_NOW: Final = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
"""No rule on containers asks for the time."""


@dataclass(frozen=True)
class _ContainerFile(JobFile):
    """The command of a container is one step; no runner has options before it."""

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        return tuple(self._step(one, "pod", one.words) for one in self.script.commands)


@dataclass(frozen=True, eq=False, kw_only=True)
class ContainerJob(Job):
    """A container with accelerators; of the same questions as `Job`, those with other answers."""

    manifests: Manifests
    pod: Pod
    container: Container

    @property
    def unit(self) -> str:
        return "pod"

    @property
    def nodes(self) -> int | None:
        return self.manifests.pods_of_job(self.pod)

    @cached_property
    def has_roles(self) -> bool:
        """Whether pods of another template, such as a master, are of the same training."""
        return sum(one.document is self.pod.document for one in self.manifests.pods) > 1

    @cached_property
    def groups(self) -> tuple[ComputeGroup, ...]:
        return tuple(self.manifests.fitting(self.pod) or self.manifests.selected(self.pod))

    @cached_property
    def accelerators_per_node(self) -> int | None:
        return _accelerators(self.container)

    @cached_property
    def has_efa(self) -> bool:
        return EFA in self.container.requests

    @property
    def exclusive(self) -> bool:
        return True

    @property
    def whole_nodes(self) -> bool:
        return True

    @cached_property
    def containers(self) -> bool:
        """Paths are those of `mounts` already."""
        return False

    @cached_property
    def mounts(self) -> dict[str, Kind]:
        """What is at the paths of the container; all else is a layer on the node's root disk."""
        found: dict[str, Kind] = {"/": "root"}
        kinds = {text_at(volume, "name"): _kind(volume) for volume in self.pod.volumes}
        mounts = self.container.item.get("volumeMounts")
        for mount in mounts.members() if mounts else ():
            path = text_at(mount, "mountPath")
            if path is not None:
                found[path.rstrip("/") or "/"] = kinds.get(text_at(mount, "name"), "unknown")
        return found


@lru_cache(maxsize=1)
def container_jobs(manifests: Manifests) -> tuple[ContainerJob, ...]:
    """Return the containers with accelerators; a dozen rules ask for those of the same file."""
    return tuple(_container_jobs(manifests))


def _container_jobs(manifests: Manifests) -> Iterator[ContainerJob]:
    for pod in manifests.pods:
        if pod.is_patch:
            continue
        for container in pod.containers:
            if _accelerators(container) is not None:
                yield ContainerJob(
                    file=_file(manifests, pod, container),
                    cluster=manifests.cluster,
                    catalog=manifests.catalog,
                    now=_NOW,
                    manifests=manifests,
                    pod=pod,
                    container=container,
                )


def _file(manifests: Manifests, pod: Pod, container: Container) -> JobFile:
    at, nodes = container.item, manifests.pods_of_job(pod)
    stated = Option("nodes", str(nodes), at.line, at.column, at.length)
    options = () if nodes is None else (stated,)
    words = tuple(map(_word, container.words))
    script = Script(commands=[Command(words)] if words else [])
    for name, value in container.environment:
        if name.text and value is not None:
            script.assignments.append(Assignment(name.text, _word(value), exported=True))
    return _ContainerFile(manifests.file.name, "", options, (), (), script, ())


def _word(item: Item) -> Word:
    """The text of a scalar; `dynamic` if a program fills it in or Kubernetes replaces a part."""
    return Word(item.written, item.line, item.column, item.length, dynamic=item.text is None)


def _accelerators(container: Container) -> int | None:
    """GPUs or Neuron devices of a container; None without any, or if a program fills them in."""
    amounts = container.requests
    return next((amounts[n].number for n in (GPU, NEURON) if n in amounts), None)


def _kind(volume: Item) -> Kind:
    """What a volume is on; claims and file systems of other drivers are not known."""
    if "emptyDir" in {key.text for key, _ in volume.entries()}:
        return "memory" if text_at(volume, "emptyDir", "medium") == "Memory" else "root"
    return "unknown"
