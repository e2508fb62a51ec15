"""The instance type of a group with scratch has local drives."""

from __future__ import annotations

from clusterwright.catalog import Known
from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.preflight.rule import Context, Fail, Results, Subjects, Unknown
from clusterwright.preflight.rules.group_rule import GroupRule


class LocalDrives(GroupRule):
    id = "CW-S041"
    prevents = "every node of the group fails at its first boot: it has no drive for scratch"
    source = "EC2 DescribeInstanceTypes, InstanceStorageInfo"

    def subjects(self, context: Context) -> Subjects[ComputeGroup]:
        for path, existing in super().subjects(context):
            if existing.scratch is not None:
                yield (*path, "scratch"), existing

    def check(self, group: ComputeGroup, context: Context) -> Results:
        instance = context.catalog.instance(group.instance_type)
        if instance is None or not isinstance(instance.local_nvme, Known):
            yield Unknown(message=f"no source states the local drives of {group.instance_type}")
        elif not instance.local_nvme.value.count:
            yield Fail(
                message=f"{group.instance_type} has no local drives for scratch",
                requested=group.instance_type,
                hint="remove scratch, or choose a type with local NVMe drives",
            )
