"""Volumes, their classes and claims of one file agree."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from clusterwright.jobs.environment_names import meant
from clusterwright.jobs.manifest_file import Item, Pod, text_at
from clusterwright.jobs.quantities import parse_quantity
from clusterwright.jobs.rule import Fail, ManifestRule, Manifests, Results
from clusterwright.platforms.kubernetes.storage import volumes_of

_DEFAULT_NAMESPACE = "default"
_ONE_POD = "ReadWriteOncePod"
_ONE_NODE = frozenset({"ReadWriteOnce", _ONE_POD})
_CLASS = "volume.beta.kubernetes.io/storage-class"
"""The older annotation, which counts before storageClassName."""
_SHORTEST = 4
"""Letters of a word that may be misspelt: shorter ones, as in `data-a`, tell names apart."""


class VolumesAndClaims(ManifestRule):
    id = "CW-J093"
    severity = "error"
    prevents = (
        "a claim that is never bound, so that its pods stay pending; or mounts without their "
        "options"
    )
    source = (
        "Kubernetes documentation, Persistent Volumes (Binding, Reserving a PersistentVolume, "
        "Access Modes, Class, Mount Options) and Storage Classes (mount options of volumes that "
        "the class creates); kubernetes/kubernetes, pkg/controller/volume/persistentvolume/"
        "pv_controller.go (syncUnboundClaim, checkVolumeSatisfyClaim): a volume whose claimRef is "
        "the claim is not compared; kubernetes-sigs/aws-fsx-csi-driver#127"
    )

    def check(self, manifests: Manifests) -> Results:
        volumes, claims = (
            manifests.file.of_kind(kind) for kind in ("PersistentVolume", "PersistentVolumeClaim")
        )
        for volume in volumes:
            yield from _mount_options(manifests, volume)
        for claim in claims:
            name = text_at(claim, "spec", "volumeName")
            for volume in volumes:
                if name is None or text_at(volume, "metadata", "name") != name:
                    continue
                if not _reserved(claim, volume):
                    yield from _bound(claim, volume)
        yield from _misspelt(manifests, claims)
        yield from _of_one_node(manifests, claims)


def _mount_options(manifests: Manifests, volume: Item) -> Results:
    """Options of a class are for the volumes that it creates, not for one that exists."""
    of_volume = _class(volume)
    name = of_volume.text if of_volume is not None else None
    if not name or volume.get("spec", "mountOptions") is not None:
        return
    for kind in manifests.file.of_kind("StorageClass"):
        options = kind.get("mountOptions")
        if options is None or text_at(kind, "metadata", "name") != name:
            continue
        texts = [one.text or "" for one in options.members()]
        if texts:
            yield Fail(
                message=f"the volume {text_at(volume, 'metadata', 'name')} is mounted without "
                f"{', '.join(texts)}: mountOptions of a class are for volumes that it creates",
                at=options,
                severity="warning",
                hint=f"mountOptions: [{', '.join(texts)}] in `spec` of the PersistentVolume",
            )


def _class(document: Item) -> Item | None:
    """The class of a volume or a claim."""
    return document.get("metadata", "annotations", _CLASS) or document.get(
        "spec", "storageClassName"
    )


def _reserved(claim: Item, volume: Item) -> bool:
    """Whether the volume is, or may be, reserved for the claim, and so is bound to it."""
    reference = volume.get("spec", "claimRef")
    if reference is None:
        return False
    for key in ("name", "namespace"):
        own, other = text_at(claim, "metadata", key), text_at(reference, key)
        if own is not None and other is not None and own != other:
            return False
    return True


def _bound(claim: Item, volume: Item) -> Results:
    """A claim that names a volume gets it only if class, access modes and size agree."""
    wanted, own = _class(claim), _class(volume)
    known = all(one is None or one.text is not None for one in (wanted, own))
    has = own.text if own is not None else ""
    if known and wanted is not None and wanted.text != (has or ""):
        yield Fail(
            message=f"the claim has the class {wanted.text or '(none)'}, and its volume "
            f"{has or '(none)'}",
            at=wanted,
            requested=wanted.text,
            limit=has,
            hint=f"storageClassName: {has or chr(34) * 2}",
        )
    elif known and wanted is None:
        yield Fail(
            message="the claim has no storageClassName: where the cluster has a default class, it "
            f"is that one, and the volume has {has or 'none'}",
            at=claim.get("spec", "volumeName"),
            severity="warning",
            hint=f"storageClassName: {has or chr(34) * 2}",
        )
    modes, offered = (_texts(one, "accessModes") for one in (claim, volume))
    missing = sorted((modes or set()) - (offered or set()))
    if modes is not None and offered is not None and missing:
        yield Fail(
            message=f"the claim asks for {', '.join(missing)}, and its volume has "
            f"{', '.join(sorted(offered))}",
            at=claim.get("spec", "accessModes"),
        )
    size = claim.get("spec", "resources", "requests", "storage")
    capacity = volume.get("spec", "capacity", "storage")
    amounts = [
        parse_quantity(one.text) if one is not None and one.text else None
        for one in (size, capacity)
    ]
    if amounts[0] is not None and amounts[1] is not None and amounts[0] > amounts[1]:
        assert size is not None
        assert capacity is not None
        yield Fail(
            message=f"the claim asks for {size.text}, and its volume has {capacity.text}",
            at=size,
            requested=size.text,
            limit=capacity.text,
        )


def _texts(document: Item, name: str) -> set[str] | None:
    """The texts of a list in `spec`; None if it is absent, or a program fills one in."""
    found = document.get("spec", name)
    texts = [one.text for one in found.members()] if found is not None else []
    known = {text for text in texts if text is not None}
    return known if texts and len(known) == len(set(texts)) else None


def _misspelt(manifests: Manifests, claims: Sequence[Item]) -> Results:
    """A claim of a pod that the file does not have, and that is nearly one that no pod uses."""
    used: dict[str | None, list[Item]] = {}
    for pod in manifests.pods:
        used.setdefault(_namespace(pod.document), []).extend(_used(pod))
    of_the_spec = {volume.name for volume in volumes_of(manifests.cluster)}
    for namespace, places in used.items():
        names = {
            text_at(claim, "metadata", "name")
            for claim in claims
            if _namespace(claim) == namespace
        }
        if None in names:
            continue
        unused = {one for one in names if one is not None} - {place.text for place in places}
        for place in places:
            if place.text is None or place.text in names | of_the_spec:
                continue
            near = meant(place.text, unused)
            if near is not None and not _by_design(place.text, near):
                yield Fail(
                    message=f"the file has no claim {place.text}",
                    at=place,
                    severity="warning",
                    requested=place.text,
                    hint=f"did you mean `{near}`?",
                )


def _by_design(one: str, other: str) -> bool:
    """Whether names differ in short words, such as the letters of an enumeration."""
    words, others = (re.split(r"[-.\d]+", name) for name in (one, other))
    return len(words) == len(others) and all(
        min(len(a), len(b)) < _SHORTEST for a, b in zip(words, others, strict=True) if a != b
    )


def _of_one_node(manifests: Manifests, claims: Sequence[Item]) -> Results:
    """A claim for one node, of a training whose pods no node has places for."""
    for claim in claims:
        name, modes = text_at(claim, "metadata", "name"), _texts(claim, "accessModes")
        if name is None or not modes or not modes <= _ONE_NODE:
            continue
        jobs: dict[int, list[tuple[Pod, Item]]] = {}
        for pod in manifests.pods:
            used = [one for one in _used(pod) if one.text == name]
            if used and _namespace(pod.document) == _namespace(claim):
                jobs.setdefault(id(pod.document.node), []).append((pod, used[0]))
        for job in jobs.values():
            pods = [pod for pod, _ in job if manifests.judged(pod)]
            # Those of the operators for training run at the same time.
            if not pods or manifests.pods_of_job(pods[0]) is None:
                continue
            number = sum(pod.count or 0 for pod in pods)
            if number < 2 or (_ONE_POD not in modes and manifests.one_node_takes(pods)):
                continue
            yield Fail(
                message=f"the claim {name} is for one {'pod' if _ONE_POD in modes else 'node'} "
                f"({', '.join(sorted(modes))}), and the training has {number} pods",
                at=job[0][1],
                severity="warning",
                hint="ReadWriteMany, of a file system such as FSx for Lustre",
            )


def _used(pod: Pod) -> Iterator[Item]:
    for volume in pod.volumes:
        name = volume.get("persistentVolumeClaim", "claimName")
        if name is not None:
            yield name


def _namespace(document: Item) -> str | None:
    found = document.get("metadata", "namespace")
    return _DEFAULT_NAMESPACE if found is None else found.text
