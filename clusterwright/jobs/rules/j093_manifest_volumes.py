"""Volumes, their classes and claims of one file agree."""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.cluster_spec.suggest import did_you_mean
from clusterwright.jobs.manifest_file import Item, Pod, text_at
from clusterwright.jobs.quantities import parse_quantity
from clusterwright.jobs.rule import Fail, ManifestRule, Manifests, Results

_DEFAULT_NAMESPACE = "default"
_ONE_NODE = frozenset({"ReadWriteOnce", "ReadWriteOncePod"})


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
        "the class creates); kubernetes-sigs/aws-fsx-csi-driver#127"
    )

    def check(self, manifests: Manifests) -> Results:
        volumes, claims = (
            list(_of_kind(manifests, kind))
            for kind in ("PersistentVolume", "PersistentVolumeClaim")
        )
        for volume in volumes:
            yield from _mount_options(manifests, volume)
        for claim in claims:
            name = text_at(claim, "spec", "volumeName")
            for volume in volumes:
                if name is not None and text_at(volume, "metadata", "name") == name:
                    yield from _bound(claim, volume)
        yield from _misspelt(manifests, claims)
        yield from _of_one_node(manifests, claims)


def _of_kind(manifests: Manifests, kind: str) -> Iterator[Item]:
    for document in manifests.file.documents:
        if text_at(document, "kind") == kind:
            yield document


def _mount_options(manifests: Manifests, volume: Item) -> Results:
    """Options of a class are for the volumes that it creates, not for one that exists."""
    name = text_at(volume, "spec", "storageClassName")
    if not name or volume.get("spec", "mountOptions") is not None:
        return
    for kind in _of_kind(manifests, "StorageClass"):
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


def _bound(claim: Item, volume: Item) -> Results:
    """A claim that names a volume gets it only if class, access modes and size agree."""
    wanted, own = claim.get("spec", "storageClassName"), volume.get("spec", "storageClassName")
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
    elif known and wanted is None and claim.get("metadata", "annotations") is None:
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


def _misspelt(manifests: Manifests, claims: list[Item]) -> Results:
    """A claim of a pod that the file does not have, and that is similar to one that it has."""
    for pod in manifests.pods:
        own = _namespace(pod.document)
        names = {
            text_at(claim, "metadata", "name") for claim in claims if _namespace(claim) == own
        }
        for used in _used(pod):
            if used.text is None or None in names or used.text in names:
                continue
            near = did_you_mean(used.text, sorted(one for one in names if one is not None))
            if near is not None:
                yield Fail(
                    message=f"the file has no claim {used.text}",
                    at=used,
                    severity="warning",
                    requested=used.text,
                    hint=near,
                )


def _of_one_node(manifests: Manifests, claims: list[Item]) -> Results:
    """A claim for one node, of a training whose pods have a node each."""
    for pod in manifests.pods:
        pods = manifests.pods_of_job(pod)
        if pods is None or pods < 2 or not pod.devices:
            continue
        for claim in claims:
            name = text_at(claim, "metadata", "name")
            modes = _texts(claim, "accessModes")
            used = [one for one in _used(pod) if one.text is not None and one.text == name]
            if not used or not modes or not modes <= _ONE_NODE:
                continue
            yield Fail(
                message=f"the claim {name} is for one node ({', '.join(sorted(modes))}), and the "
                f"training has {pods} pods",
                at=used[0],
                severity="warning",
                hint="ReadWriteMany, of a file system such as FSx for Lustre",
            )


def _used(pod: Pod) -> Iterator[Item]:
    volumes = pod.item.get("volumes")
    for volume in volumes.members() if volumes is not None else ():
        name = volume.get("persistentVolumeClaim", "claimName")
        if name is not None:
            yield name


def _namespace(document: Item) -> str | None:
    found = document.get("metadata", "namespace")
    return _DEFAULT_NAMESPACE if found is None else found.text
