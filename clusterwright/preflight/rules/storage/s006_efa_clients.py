"""Clients of EFA-enabled Lustre file systems support EFA for it."""

from __future__ import annotations

from clusterwright.catalog import Known
from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.preflight.rule import Context, Fail, Path, Results, Unknown
from clusterwright.preflight.rules.group_rule import GroupRule


class EfaClients(GroupRule):
    id = "CW-S006"
    severity = "warning"
    prevents = (
        "nodes that access the file system over TCP, at 100 Gbps at most, although it supports EFA"
    )
    source = "AWS documentation, EFA-enabled FSx for Lustre file systems"

    def check(self, group: ComputeGroup, path: Path, context: Context) -> Results:
        if group.role != "compute" or not any(fs.efa for fs in context.cluster.storage.lustre):
            return
        path = (*path, "instance_type")
        name = group.instance_type
        lustre = context.catalog.lustre
        instance = context.catalog.instance(name)
        family = name.partition(".")[0]
        if family in lustre.efa_client_refused_families:
            yield Fail(
                message=f"{name} does not support EFA for Lustre: {family} is excluded",
                path=path,
                hint="efa: false on the file system, unless other groups use EFA for it",
            )
            return
        if instance is None or not isinstance(instance.efa_interfaces, Known):
            yield Unknown(message=f"no source states whether {name} supports EFA", path=path)
            return
        if instance.efa_interfaces.value == 0:
            yield Fail(message=f"{name} does not support EFA", path=path)
            return
        if not isinstance(instance.nitro, Known):
            yield Unknown(message=f"no source states the Nitro version of {name}", path=path)
            return
        version = instance.nitro.value.lstrip("v")
        if version.isdigit() and int(version) < lustre.efa_client_nitro_min:
            yield Fail(
                message=f"{name} is Nitro v{version}; EFA for Lustre requires Nitro "
                f"v{lustre.efa_client_nitro_min}",
                path=path,
                requested=f"v{version}",
                limit=f"v{lustre.efa_client_nitro_min}",
            )
