"""Checkpoints on an existing scratch file system are exported."""

from __future__ import annotations

from clusterwright.preflight.facts.files import Associations
from clusterwright.preflight.facts.storage import FileSystems
from clusterwright.preflight.rule import Context, Facts, FactValues, Fail, Results, Rule, Subjects
from clusterwright.preflight.rules.storage.checkpoints import lustre_of, within
from clusterwright.preflight.rules.storage.existing_file_systems import (
    ExistingFileSystem,
    existing_file_systems,
    find_file_system,
)


class ExistingScratch(Rule[ExistingFileSystem]):
    id = "CW-S033"
    prevents = "a run that loses its checkpoints with the file system, which is not replicated"
    source = "AWS documentation, FSx for Lustre deployment options: SCRATCH is not replicated"

    def subjects(self, context: Context) -> Subjects[ExistingFileSystem]:
        path = context.cluster.storage.checkpoint_path
        found = lustre_of(path, context.cluster.storage.lustre) if path is not None else None
        for at, existing in existing_file_systems(context):
            if found is not None and at == ("storage", "lustre", found[0], "existing"):
                yield ("storage", "checkpoint_path"), existing

    def needs(self, files: ExistingFileSystem) -> Facts:
        return (FileSystems(), Associations(files.id))

    def check(self, files: ExistingFileSystem, context: Context, facts: FactValues) -> Results:
        storage = context.cluster.storage
        found = find_file_system(facts[FileSystems()], files)
        if found is None or not found.deployment_type.startswith("SCRATCH"):
            return
        assert storage.checkpoint_path is not None
        mounted = lustre_of(storage.checkpoint_path, storage.lustre)
        assert mounted is not None
        inside = storage.checkpoint_path.removeprefix(mounted[1].mount_path) or "/"
        for link in facts[Associations(files.id)]:
            if "NEW" in link.export_events and within(inside, link.path.rstrip("/")):
                return
        yield Fail(
            message=f"{storage.checkpoint_path} is on {found.deployment_type} ({found.id}), "
            "which does not replicate its data, and no association exports it",
            where=found.id,
            hint="associate the folder with a bucket, with automatic export of NEW and CHANGED",
        )
