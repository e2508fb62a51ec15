"""The values of a pod agree with each other."""

from __future__ import annotations

import re
from collections.abc import Iterator

from clusterwright.jobs.manifest_fields import is_placeholder
from clusterwright.jobs.manifest_file import MAXIMUM_DEPTH, Container, Item, Pod, text_at
from clusterwright.jobs.manifests import TRAINING_KINDS
from clusterwright.jobs.quantities import parse_quantity
from clusterwright.jobs.rule import Fail, ManifestRule, Manifests, Results

_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")
_SUBDOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_LONGEST = 253
_LABEL_VALUE = re.compile(r"(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?)?")
_LONGEST_LABEL = 63
_CHOICES = {
    "dnsPolicy": ("ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"),
    "effect": ("NoSchedule", "PreferNoSchedule", "NoExecute", ""),
    "imagePullPolicy": ("Always", "IfNotPresent", "Never"),
    "medium": ("Memory", "HugePages", ""),
    "preemptionPolicy": ("PreemptLowerPriority", "Never"),
    "terminationMessagePolicy": ("File", "FallbackToLogsOnError"),
    "whenUnsatisfiable": ("DoNotSchedule", "ScheduleAnyway"),
}
"""Fields of pods with a closed list of values: Kubernetes API reference, PodSpec."""
_COMPLETE = TRAINING_KINDS | {
    "Pod",
    "Job",
    "CronJob",
    "Deployment",
    "StatefulSet",
    "DaemonSet",
}
"""Kinds whose pods have the volumes that the manifest states."""

_OTHER_NAMES = ("rbac.", "eksctl.io/", "kustomize.config.k8s.io/")
"""Names of RBAC's objects may have colons and capital letters; the others are files of programs,
which no API server takes."""


_SUBDOMAINS = ("serviceAccountName", "priorityClassName", "runtimeClassName")
"""Fields of pods with the name of an object."""


class PodValues(ManifestRule):
    id = "CW-J081"
    severity = "error"
    prevents = "Invalid value, Not found or Duplicate value: the API server refuses the object"
    source = (
        "Kubernetes documentation, Object Names and IDs; Extended resources (requests equal "
        "limits); Manage HugePages (requests equal limits, with cpu or memory); Volumes; Labels "
        "and Selectors; API reference, Quantity, PodSpec"
    )

    def check(self, manifests: Manifests) -> Results:
        for document in manifests.file.documents:
            yield from _name(document)
            yield from _label_values(document)
        for pod in manifests.pods:
            yield from _choices(pod.item, MAXIMUM_DEPTH)
            if pod.is_patch:
                continue
            for field in _SUBDOMAINS:
                yield from _subdomain(field, pod.item.get(field))
            containers = pod.all_containers
            named = [one.get("name") for one in pod.volumes]
            yield from _labels(named, "volume")
            yield from _labels([one.item.get("name") for one in containers], "container")
            for container in containers:
                yield from _mounts(pod, container, {text_at(n) for n in named if n is not None})
                yield from _amounts(container)
                yield from _repeated(container)


def _name(document: Item) -> Results:
    name, api = document.get("metadata", "name"), text_at(document, "apiVersion") or ""
    if name is None or name.text is None or api.startswith(_OTHER_NAMES):
        return
    if len(name.text) > _LONGEST or not _SUBDOMAIN.fullmatch(name.text):
        yield Fail(
            message=f"{name.text} is not a name of lower case letters, digits, `-` and `.`",
            at=name,
        )


def _subdomain(field: str, name: Item | None) -> Results:
    text = name.text if name is not None else None
    if text and (len(text) > _LONGEST or not _SUBDOMAIN.fullmatch(text)):
        yield Fail(
            message=f"{field}: {text[:80]} is not a name of lower case letters, digits, `-` and "
            "`.`",
            at=name,
        )


def _label_values(here: Item, depth: int = MAXIMUM_DEPTH) -> Results:
    """Values of the labels of an object and of its templates."""
    if not depth:
        return
    labels = here.get("metadata", "labels")
    for key, value in labels.entries() if labels is not None else ():
        text = None if value.is_null else value.text
        if text is not None and (len(text) > _LONGEST_LABEL or not _LABEL_VALUE.fullmatch(text)):
            yield Fail(
                message=f"{key.text}: {text[:80]} is no value of a label: at most 63 letters, "
                "digits, `-`, `_` and `.`",
                at=value,
            )
    for key, value in here.entries():
        if key.text not in ("metadata", "containers"):
            yield from _label_values(value, depth - 1)


def _choices(here: Item, depth: int) -> Results:
    """Values of fields that have a closed list of them."""
    if not depth:
        return
    for one in here.members():
        yield from _choices(one, depth - 1)
    for key, value in here.entries():
        allowed = _CHOICES.get(key.text or "")
        text = None if value.is_null else value.text
        if allowed is None or text is None or text in allowed or text.startswith("HugePages-"):
            yield from _choices(value, depth - 1)
            continue
        meant = next((one for one in allowed if one.lower() == text.lower()), None)
        yield Fail(
            message=f"{key.text}: expected {' or '.join(filter(None, allowed))}, got {text}",
            at=value,
            hint=f"{key.text}: {meant}" if meant else None,
        )


def _repeated(container: Container) -> Results:
    seen: set[str] = set()
    for name, _ in container.environment:
        if name.text is None:
            continue
        if name.text in seen:
            yield Fail(
                message=f"{name.text} is set twice: the last value counts",
                at=name,
                severity="warning",
            )
        seen.add(name.text)


def _labels(names: list[Item | None], what: str) -> Results:
    seen: set[str] = set()
    for name in names:
        if name is None or name.text is None:
            continue
        if not _LABEL.fullmatch(name.text) and not is_placeholder(name.text):
            yield Fail(
                message=f"the name {name.text} of a {what} has at most 63 lower case letters, "
                "digits and `-`",
                at=name,
            )
        elif name.text in seen:
            yield Fail(message=f"several {what}s have the name {name.text}", at=name)
        seen.add(name.text)


def _mounts(pod: Pod, container: Container, volumes: set[str | None]) -> Results:
    mounts = container.item.get("volumeMounts")
    paths: set[str] = set()
    # A StatefulSet's claims are volumes, too, and other kinds may add volumes of their own.
    complete = None not in volumes and pod.kind in _COMPLETE
    complete = complete and pod.document.get("spec", "volumeClaimTemplates") is None
    for mount in mounts.members() if mounts is not None else ():
        name, path = mount.get("name"), mount.get("mountPath")
        if name is not None and name.text is not None and complete and name.text not in volumes:
            known = ", ".join(sorted(one for one in volumes if one is not None))
            yield Fail(
                message=f"the pod has no volume {name.text}",
                at=name,
                requested=name.text,
                hint=f"its volumes: {known}" if known else "add it to `volumes` of the pod",
            )
        if path is not None and path.text is not None:
            if path.text in paths:
                yield Fail(message=f"several volumes are mounted at {path.text}", at=path)
            paths.add(path.text)


def _amounts(container: Container) -> Results:
    limits, requests = (dict(_resources(container, kind)) for kind in ("limits", "requests"))
    for name, amount in (*limits.items(), *requests.items()):
        if amount.text and not is_placeholder(amount.text) and parse_quantity(amount.text) is None:
            yield Fail(
                message=f"{name}: {amount.text} is no quantity",
                at=amount,
                hint="such as 8, 500m, 512Gi or 512G",
            )
    for name, amount in {**requests, **limits}.items():
        number = parse_quantity(amount.text) if amount.text else None
        if "/" in name and number is not None and number % 1:
            yield Fail(
                message=f"{name}: {amount.text} is not an integer number of devices",
                at=amount,
                requested=amount.text,
                hint="1, or shares of the device plug-in, which have names of their own",
            )
    for name, wanted in requests.items():
        if not _is_whole(name) or wanted.text is None:
            continue
        limit = limits.get(name)
        if limit is None:
            yield Fail(
                message=f"{name} has a request without a limit of the same amount",
                at=wanted,
                hint=f"limits: {{{name}: {wanted.text}}}",
            )
        elif limit.text is not None and _differ(wanted.text, limit.text):
            yield Fail(
                message=f"the request of {name} is {wanted.text} and its limit {limit.text}: they "
                "must be equal",
                at=wanted,
                requested=wanted.text,
                limit=limit.text,
            )
    pages = [item for name, item in limits.items() if name.startswith("hugepages-")]
    if pages and not {"cpu", "memory"} & {*limits, *requests}:
        yield Fail(
            message="huge pages need a request of cpu or memory beside them",
            at=pages[0],
            hint="requests: {memory: ...}",
        )


def _resources(container: Container, kind: str) -> Iterator[tuple[str, Item]]:
    found = container.item.get("resources", kind)
    for name, amount in found.entries() if found is not None else ():
        if name.text is not None:
            yield name.text, amount


def _differ(wanted: str, limit: str) -> bool:
    """Whether two amounts are known and unequal: 5120Mi is 5Gi."""
    both = (parse_quantity(wanted), parse_quantity(limit))
    return None not in both and both[0] != both[1]


def _is_whole(name: str) -> bool:
    return "/" in name or name.startswith("hugepages-")
