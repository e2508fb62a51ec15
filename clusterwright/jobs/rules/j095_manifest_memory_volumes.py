"""Volumes in memory fit in the memory of the containers that write to them."""

from __future__ import annotations

from clusterwright.jobs.manifest_file import Container, Item, Pod, text_at
from clusterwright.jobs.quantities import parse_quantity
from clusterwright.jobs.rule import Fail, ManifestRule, Manifests, Results


class MemoryVolumes(ManifestRule):
    id = "CW-J095"
    severity = "warning"
    prevents = "a container that is killed (OOMKilled) while its volume at /dev/shm is not full"
    source = (
        "Kubernetes documentation, Volumes, emptyDir: what is written to one with medium Memory "
        "counts against the memory limit of the container that wrote it"
    )

    def check(self, manifests: Manifests) -> Results:
        for pod in manifests.pods:
            for volume in pod.volumes:
                if text_at(volume, "emptyDir", "medium") == "Memory":
                    yield from _fits(pod, volume)


def _fits(pod: Pod, volume: Item) -> Results:
    size, name = volume.get("emptyDir", "sizeLimit"), text_at(volume, "name")
    amount = parse_quantity(size.text) if size is not None and size.text else None
    if amount is None or name is None:
        return
    for container in pod.containers:
        limit = container.item.get("resources", "limits", "memory")
        most = parse_quantity(limit.text) if limit is not None and limit.text else None
        if most is None or not _mounts(container, name) or amount < most:
            continue
        assert size is not None
        assert limit is not None
        yield Fail(
            message=f"the volume {name} in memory may have {size.text}, and the container "
            f"{text_at(container.item, 'name')} that mounts it {limit.text} of memory in all",
            at=size,
            requested=size.text,
            limit=limit.text,
            hint="a smaller sizeLimit, or a larger memory limit",
        )


def _mounts(container: Container, name: str) -> bool:
    mounts = container.item.get("volumeMounts")
    return any(text_at(one, "name") == name for one in (mounts.members() if mounts else ()))
