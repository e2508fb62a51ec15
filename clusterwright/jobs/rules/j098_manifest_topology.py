"""A pod asks for one kind of network topology, where its scheduler reads it."""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.jobs.manifest_file import MAXIMUM_DEPTH, Item, text_at
from clusterwright.jobs.rule import Fail, ManifestRule, Manifests, Results

_PREFIX = "kueue.x-k8s.io/podset-"
_TOPOLOGY = tuple(
    f"{_PREFIX}{kind}-topology" for kind in ("required", "preferred", "unconstrained")
)
_EXCLUSIVE = "alpha.jobset.sigs.k8s.io/exclusive-topology"


class Topology(ManifestRule):
    id = "CW-J098"
    severity = "error"
    prevents = "a job that Kueue refuses, or pods that are placed without regard to the network"
    source = (
        "Kueue, pkg/controller/jobframework/tas_validation.go: one topology annotation; Kueue "
        "documentation, Topology Aware Scheduling: annotations of the pod template; "
        "kubernetes-sigs/kueue#4122; JobSet documentation, exclusive placement"
    )

    def check(self, manifests: Manifests) -> Results:
        for document in manifests.file.documents:
            has_template = text_at(document, "kind") != "Pod"
            for metadata in _metadata(document, MAXIMUM_DEPTH):
                yield from _one(metadata)
            if has_template:
                yield from _of_object(document)
        for pod in manifests.pods:
            if pod.kind == "JobSet":
                yield from _exclusive(pod.document)


def _metadata(here: Item, depth: int) -> Iterator[Item]:
    """The metadata of an object and of its templates."""
    if not depth:
        return
    for one in here.members():
        yield from _metadata(one, depth - 1)
    for key, value in here.entries():
        if key.text == "metadata":
            yield value
        elif key.text != "containers":
            yield from _metadata(value, depth - 1)


def _annotations(metadata: Item) -> dict[str, Item]:
    found = metadata.get("annotations")
    return {key.text: key for key, _ in (found.entries() if found else ()) if key.text}


def _one(metadata: Item) -> Results:
    annotations = _annotations(metadata)
    given = [name for name in _TOPOLOGY if name in annotations]
    if len(given) > 1:
        yield Fail(
            message=f"{given[0]} and {given[1].removeprefix(_PREFIX)} exclude each other",
            at=annotations[given[1]],
        )


def _of_object(document: Item) -> Results:
    """Kueue reads the annotations of the pod template, not those of the object."""
    metadata = document.get("metadata")
    annotations = _annotations(metadata) if metadata is not None else {}
    for name in _TOPOLOGY:
        if name in annotations and text_at(document, "kind") in ("Job", "JobSet", "PyTorchJob"):
            yield Fail(
                message=f"{name} is an annotation of the pod template: Kueue does not read that "
                "of the object",
                at=annotations[name],
                severity="warning",
                hint="template: {metadata: {annotations: ...}}",
            )


def _exclusive(document: Item) -> Results:
    """JobSet reads the annotation of the set, or of the template of a job."""
    jobs = document.get("spec", "replicatedJobs")
    for job in jobs.members() if jobs is not None else ():
        metadata = job.get("template", "spec", "template", "metadata")
        annotations = _annotations(metadata) if metadata is not None else {}
        if _EXCLUSIVE in annotations:
            yield Fail(
                message=f"{_EXCLUSIVE} is an annotation of the JobSet or of a job's template, not "
                "of its pods",
                at=annotations[_EXCLUSIVE],
                severity="warning",
            )
