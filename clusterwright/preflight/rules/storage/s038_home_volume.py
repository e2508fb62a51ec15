"""The volume of existing home directories is in their file system."""

from __future__ import annotations

from clusterwright.preflight.facts.references import Volume
from clusterwright.preflight.rule import Context, Facts, FactValues, Fail, Results, Rule, Subjects


class HomeVolume(Rule[str]):
    id = "CW-S038"
    prevents = "the head node's configuration fails after its launch: the volume is not mounted"
    source = "FSx DescribeVolumes; aws/aws-parallelcluster, FsxOpenZfsSettings VolumeId"

    def subjects(self, context: Context) -> Subjects[str]:
        home = context.cluster.storage.home
        if home is not None and home.existing is not None and home.existing.volume_id is not None:
            yield ("storage", "home", "existing", "volume_id"), home.existing.volume_id

    def needs(self, volume_id: str) -> Facts:
        return (Volume(volume_id),)

    def check(self, volume_id: str, context: Context, facts: FactValues) -> Results:
        volume = facts[Volume(volume_id)]
        if volume is None:
            yield Fail(
                message=f"the volume {volume_id} does not exist in {context.region}",
                requested=volume_id,
                where=context.region,
                hint="`aws fsx describe-volumes` lists the volumes",
            )
            return
        home = context.cluster.storage.home
        assert home is not None
        assert home.existing is not None
        file_system = home.existing.dns_name.partition(".")[0]
        if volume.kind != "OPENZFS":
            yield Fail(message=f"{volume.id} is {volume.kind}, not OPENZFS", where=volume.id)
        elif volume.file_system_id != file_system:
            yield Fail(
                message=f"{volume.id} is a volume of {volume.file_system_id}, the spec's file "
                f"system is {file_system}",
                requested=file_system,
                limit=volume.file_system_id,
                where=volume.id,
            )
        elif volume.lifecycle not in ("AVAILABLE", "CREATED"):
            yield Fail(message=f"{volume.id} is {volume.lifecycle}", where=volume.id)
