"""Pods that train have more shared memory than 64 MiB."""

from __future__ import annotations

from clusterwright.jobs.manifest_file import Pod, text_at
from clusterwright.jobs.manifests import TRAINING_KINDS
from clusterwright.jobs.rule import Fail, ManifestRule, Manifests, Results
from clusterwright.platforms.kubernetes.groups import GPU

SHARED_MEMORY = "/dev/shm"  # noqa: S108
RAY_KINDS = frozenset({"RayCluster", "RayJob", "RayService"})


class SharedMemory(ManifestRule):
    id = "CW-J073"
    severity = "warning"
    prevents = (
        "workers of a DataLoader that end with a bus error; NCCL: error while creating shared "
        "memory segment"
    )
    source = (
        "PyTorch documentation, torch.utils.data (shared memory); NVIDIA NCCL user guide, "
        "Sharing Data (Docker: --shm-size); pytorch/pytorch#16979; containerd: 64 MiB by default; "
        "KubeRay, BuildPod: it mounts a memory volume in the first container of Ray's pods"
    )

    def check(self, manifests: Manifests) -> Results:
        for pod in manifests.pods:
            gpus = pod.running.get(GPU)
            # On one GPU, a server or a test neither has workers that load data nor uses NCCL.
            if gpus is None or gpus[0] < (1 if pod.kind in TRAINING_KINDS else 2):
                continue
            if _has_memory(pod):
                continue
            yield Fail(
                message=f"the pod has {gpus[0]} GPU{'s' if gpus[0] > 1 else ''} and no volume at "
                f"{SHARED_MEMORY}: it has 64 MiB of shared memory",
                at=gpus[1],
                hint="volumes: [{name: shm, emptyDir: {medium: Memory}}], mounted at "
                f"{SHARED_MEMORY}",
            )


def _has_memory(pod: Pod) -> bool:
    mounted = any(
        SHARED_MEMORY in container.mount_paths
        or "/dev" in container.mount_paths
        or (pod.kind in RAY_KINDS and container is pod.containers[0])
        for container in pod.containers
        if GPU in container.requests
    )
    return mounted or text_at(pod.item, "hostIPC") == "true"
