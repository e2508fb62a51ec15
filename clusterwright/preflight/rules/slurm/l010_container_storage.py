"""Container images are unpacked on local drives or a separate volume."""

from __future__ import annotations

from clusterwright.catalog import Known
from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.preflight.rule import Context, Fail, Results, Rule, Subjects


class ContainerStorage(Rule[ComputeGroup]):
    id = "CW-L010"
    severity = "warning"
    prevents = (
        "jobs that fail with `No space left on device`: images are unpacked on the root volume"
    )
    source = "awslabs/awsome-distributed-ai #427; the step enroot_storage"

    def subjects(self, context: Context) -> Subjects[ComputeGroup]:
        if not context.cluster.slurm.containers.pyxis:
            return
        for path, group in context.groups():
            if group.role == "compute" and group.count:
                yield path, group

    def check(self, group: ComputeGroup, context: Context) -> Results:
        if group.scratch is not None or (context.on_hyperpod and group.ebs is not None):
            return  # HyperPod's image mounts the additional volume, and the nodes use it
        instance = context.catalog.instance(group.instance_type)
        drives = instance.local_nvme if instance is not None else None
        has_drives = isinstance(drives, Known) and drives.value.total_gb > 0
        yield Fail(
            message=f"`{group.name}` has no scratch: Enroot unpacks images in home directories "
            "and /tmp",
            hint="scratch: {}"
            if has_drives
            else "ebs: {capacity_gib: 500}"
            if context.on_hyperpod
            else f"{group.instance_type} has no local drives: configure another volume for Enroot",
        )
