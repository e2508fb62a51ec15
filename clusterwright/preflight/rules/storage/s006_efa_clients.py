"""Clients of an EFA file system can use EFA for it."""

from __future__ import annotations

from clusterwright.catalog import Known
from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.preflight.rule import Context, Fail, Path, Results, Unknown
from clusterwright.preflight.rules.group_rule import GroupRule


class EfaClients(GroupRule):
    id = "CW-S006"
    title = "Clients of EFA Lustre can use EFA for it"
    severity = "warning"
    scope = "offline"
    prevents = "nodes that read the file system over TCP, at 100 Gbps at most, although it has EFA"
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
                message=f"{name} cannot use EFA for Lustre: {family} is excepted",
                path=path,
                hint="efa: false on the file system, unless other groups use it with EFA",
            )
            return
        if instance is None or not isinstance(instance.efa_interfaces, Known):
            yield Unknown(message=f"whether {name} can use EFA: no source says", path=path)
            return
        if instance.efa_interfaces.value == 0:
            yield Fail(message=f"{name} has no EFA", path=path)
            return
        if not isinstance(instance.nitro, Known):
            yield Unknown(message=f"which Nitro version {name} has: no source says", path=path)
            return
        version = instance.nitro.value.lstrip("v")
        if version.isdigit() and int(version) < lustre.efa_client_nitro_min:
            yield Fail(
                message=f"{name} is Nitro v{version}; EFA for Lustre needs Nitro "
                f"v{lustre.efa_client_nitro_min}",
                path=path,
                requested=f"v{version}",
                limit=f"v{lustre.efa_client_nitro_min}",
            )


RULE = EfaClients()
