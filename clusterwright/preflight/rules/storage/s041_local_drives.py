"""A group with scratch has drives of its own."""

from __future__ import annotations

from clusterwright.catalog import Known
from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.preflight.rule import Context, Fail, Results, Subject, Subjects, Unknown
from clusterwright.preflight.rules.group_rule import GroupRule


class ScratchDrives(GroupRule):
    id = "CW-S041"
    title = "A group with scratch has drives of its own"
    scope = "offline"
    prevents = "every node of the group fails at its first start: there is no disk for scratch"
    source = "EC2 DescribeInstanceTypes, InstanceStorageInfo"

    def subjects(self, context: Context) -> Subjects[ComputeGroup]:
        for subject in super().subjects(context):
            if subject.value.scratch is not None:
                yield Subject((*subject.path, "scratch"), subject.value)

    def check(self, group: ComputeGroup, context: Context) -> Results:
        instance = context.catalog.instance(group.instance_type)
        if instance is None or not isinstance(instance.local_nvme, Known):
            yield Unknown(message=f"which drives {group.instance_type} has: no source says")
        elif not instance.local_nvme.value.count:
            yield Fail(
                message=f"{group.instance_type} has no drives of its own for scratch",
                requested=group.instance_type,
                hint="leave scratch out, or choose a type with local NVMe drives",
            )


RULE = ScratchDrives()
