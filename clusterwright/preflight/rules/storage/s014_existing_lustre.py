"""Existing Lustre file systems match the spec."""

from __future__ import annotations

from clusterwright.aws.fsx import FileSystem
from clusterwright.cluster_spec.models.storage import Lustre
from clusterwright.preflight.facts.network import Subnets
from clusterwright.preflight.facts.storage import FileSystems
from clusterwright.preflight.rule import (
    Context,
    FactValues,
    Fail,
    Path,
    Results,
    Rule,
    Subjects,
)


class ExistingLustre(Rule[Lustre]):
    id = "CW-S014"
    prevents = "mounts that fail, or slow access to a file system in another zone"
    source = "FSx DescribeFileSystems; aws/aws-parallelcluster, ExistingFsxNetworking"

    def subjects(self, context: Context) -> Subjects[Lustre]:
        for index, fs in enumerate(context.cluster.storage.lustre):
            if fs.existing is not None:
                yield ("storage", "lustre", index, "existing"), fs

    needs = (FileSystems(), Subnets())

    def check(self, fs: Lustre, path: Path, context: Context, facts: FactValues) -> Results:
        existing = fs.existing
        assert existing is not None
        found = next((f for f in facts[FileSystems()] if f.id == existing.id), None)
        if found is None:
            yield Fail(
                message=f"the file system {existing.id} does not exist in {context.region}",
                path=(*path, "id"),
                requested=existing.id,
                where=context.region,
            )
            return
        yield from _differences(fs, path, found)
        zone = context.cluster.network.availability_zone_id
        zones = {s.zone_id for s in facts[Subnets()] if s.id in found.subnet_ids}
        if zones and zone not in zones:
            yield Fail(
                message=f"{found.id} is in {', '.join(sorted(zones))}, the nodes are in {zone}",
                path=(*path, "id"),
                severity="error" if fs.efa else "warning",
                requested=zone,
                where=found.id,
                hint="EFA does not cross zones, and other traffic between zones is slower and "
                "charged",
            )


def _differences(fs: Lustre, path: Path, found: FileSystem) -> Results:
    existing = fs.existing
    assert existing is not None
    if found.kind != "LUSTRE":
        yield Fail(message=f"{found.id} is {found.kind}, not LUSTRE", path=(*path, "id"))
        return
    if found.lifecycle not in ("AVAILABLE", "UPDATING"):
        yield Fail(message=f"{found.id} is {found.lifecycle}", path=(*path, "id"), where=found.id)
    for field, said, is_ in (
        ("dns_name", existing.dns_name, found.dns_name),
        ("mount_name", existing.mount_name, found.mount_name),
    ):
        if is_ is not None and said != is_:
            yield Fail(
                message=f"the {field} of {found.id} is {is_}, not {said}",
                path=(*path, field),
                requested=said,
                limit=is_,
                where=found.id,
                hint=f"{field}: {is_}",
            )
    if fs.efa and not found.efa:
        yield Fail(
            message=f"{found.id} was created without EFA, which cannot be added",
            path=(*path[:-1], "efa"),
            where=found.id,
            hint="efa: false",
        )
