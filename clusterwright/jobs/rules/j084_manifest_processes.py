"""The processes of a job's pods fit its slots and the pods' accelerators."""

from __future__ import annotations

import re
from collections.abc import Iterator

from clusterwright.jobs.manifest_file import Container, Item, text_at
from clusterwright.jobs.rule import Fail, ManifestRule, Manifests, Results

_DEVICES = ("nvidia.com/gpu", "aws.amazon.com/neuron")
_MPIRUN = re.compile(r"\bmpi(?:run|exec)\b(?P<options>[^|;&\n]*)")
_PROCESSES = re.compile(r"\s(?:-np|-n|--np|-c)[\s=]+(\d{1,6})\b")
_MORE = ("--oversubscribe", "-oversubscribe", ":OVERSUBSCRIBE")


class Processes(ManifestRule):
    id = "CW-J084"
    severity = "error"
    prevents = "mpirun: there are not enough slots available; accelerators without a process"
    source = (
        "kubeflow/mpi-operator: the hosts' file has slotsPerWorker for each worker; "
        "open-mpi/ompi#3133; kubeflow/mpi-operator#318; kubeflow/training-operator: WORLD_SIZE is "
        "the number of pods without nprocPerNode; kubeflow/pytorch-operator#331"
    )

    def check(self, manifests: Manifests) -> Results:
        for document in manifests.file.documents:
            kind = text_at(document, "kind")
            if kind == "MPIJob":
                yield from _mpi(manifests, document)
            elif kind == "PyTorchJob":
                yield from _pytorch(document)


def _devices(replica: Item | None) -> int | None:
    """Accelerators of the pods of a replica; None if the file does not say."""
    containers = replica.get("template", "spec", "containers") if replica is not None else None
    for container in containers.members() if containers is not None else ():
        for kind in ("limits", "requests"):
            resources = container.get("resources", kind)
            for name, amount in resources.entries() if resources is not None else ():
                if name.text in _DEVICES and amount.number:
                    return amount.number
    return None


def _mpi(manifests: Manifests, document: Item) -> Results:
    spec = document.get("spec")
    specs = spec.get("mpiReplicaSpecs") if spec is not None else None
    worker = specs.get("Worker") if specs is not None else None
    if spec is None or specs is None or worker is None:
        return
    stated, replicas = spec.get("slotsPerWorker"), worker.get("replicas")
    slots = stated.number if stated is not None else 1
    workers = replicas.number if replicas is not None else 1
    devices = _devices(worker)
    if stated is not None and slots is not None and devices is not None and slots > devices:
        yield Fail(
            message=f"slotsPerWorker is {slots}, and a worker has {devices} accelerators",
            at=stated,
            severity="warning",
            requested=slots,
            limit=devices,
            hint=f"slotsPerWorker: {devices}",
        )
    if not slots or not workers:
        return
    with_launcher = text_at(spec, "runLauncherAsWorker") == "true"
    total = slots * (workers + with_launcher)
    for pod in manifests.pods:
        if pod.document is not document:
            continue
        for number, at in _mpirun(pod.item):
            if number > total:
                yield Fail(
                    message=f"mpirun starts {number} processes, and the workers have {total} "
                    "slots",
                    at=at,
                    requested=number,
                    limit=total,
                    hint="slotsPerWorker, the workers' replicas, or -np",
                )


def _mpirun(pod: Item) -> Iterator[tuple[int, Item]]:
    """The numbers of processes that commands of containers give mpirun."""
    containers = pod.get("containers")
    for container in containers.members() if containers is not None else ():
        words = Container(container).words
        text = " ".join(word.text or "$" for word in words)
        for command in _MPIRUN.finditer(text):
            options = command.group("options")
            number = _PROCESSES.search(options)
            if number is not None and not any(one in options for one in _MORE):
                yield int(number.group(1)), words[0]


def _pytorch(document: Item) -> Results:
    spec = document.get("spec")
    specs = spec.get("pytorchReplicaSpecs") if spec is not None else None
    if spec is None or specs is None:
        return
    found = {
        role.text: number
        for role, replica in specs.entries()
        if (number := _devices(replica)) is not None
    }
    each = spec.get("nprocPerNode")
    stated = each.number if each is not None else None
    for role, number in found.items():
        if each is not None and stated is not None and stated > number:
            yield Fail(
                message=f"nprocPerNode is {stated}, and a pod of {role} has {number} accelerators",
                at=each,
                requested=stated,
                limit=number,
            )
            return
    if each is None and len(set(found.values())) > 1:
        numbers = " and ".join(f"{role} {number}" for role, number in found.items())
        yield Fail(
            message=f"the pods have different numbers of accelerators ({numbers}), and each "
            "counts as one process in WORLD_SIZE",
            at=specs,
            severity="warning",
            hint="the same number everywhere, nprocPerNode, and torchrun in the command",
        )
