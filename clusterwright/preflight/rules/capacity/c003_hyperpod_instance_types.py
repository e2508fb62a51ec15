"""HyperPod supports every instance type."""

from __future__ import annotations

from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.platforms.capabilities import platforms_for
from clusterwright.platforms.hyperpod.instance_groups import ml_name
from clusterwright.preflight.rule import Context, Fail, Path, Results, Subjects
from clusterwright.preflight.rules.group_rule import GroupRule


class HyperPodInstanceTypes(GroupRule):
    id = "CW-C003"
    prevents = "CreateCluster fails validation: the type is not in ClusterInstanceType"
    source = "botocore, SageMaker CreateCluster"

    def subjects(self, context: Context) -> Subjects[ComputeGroup]:
        return super().subjects(context) if context.on_hyperpod else ()

    def check(self, group: ComputeGroup, path: Path, context: Context) -> Results:
        name = group.instance_type
        if name in context.catalog.hyperpod_names:
            return
        near = [
            n
            for n in context.catalog.suggest_instance(name)
            if n in context.catalog.hyperpod_names
        ]
        hint = (
            f"it supports {near[0]}"
            if near
            else "`clusterwright catalog show` lists the supported types"
        )
        elsewhere = platforms_for(name, group.capacity.kind, context.catalog)
        if elsewhere:
            hint += f"; for {name}: platform: {' or '.join(elsewhere)}"
        yield Fail(
            message=f"HyperPod does not support {ml_name(name)}",
            path=(*path, "instance_type"),
            requested=name,
            hint=hint,
        )
