"""Checkpoints are stored durably."""

from __future__ import annotations

from clusterwright.preflight.rule import Context, Fail, Results, Rule, Subjects
from clusterwright.preflight.rules.storage.checkpoints import (
    is_exported,
    lustre_of,
    within,
)


class Checkpoints(Rule[str]):
    id = "CW-S013"
    prevents = "a run that loses its checkpoints with a scratch file system or a replaced node"
    source = "AWS documentation, FSx for Lustre deployment options: SCRATCH is not replicated"

    def subjects(self, context: Context) -> Subjects[str]:
        path = context.cluster.storage.checkpoint_path
        if path is not None:
            yield ("storage", "checkpoint_path"), path

    def check(self, checkpoint_path: str, context: Context) -> Results:
        for group in context.cluster.compute:
            if group.scratch is not None and within(checkpoint_path, group.scratch.mount_path):
                yield Fail(
                    message=f"{checkpoint_path} is on the local drives of the nodes, which are "
                    "empty after every replacement",
                    hint="put checkpoints on Lustre, with an export to a bucket",
                )
                return
        found = lustre_of(checkpoint_path, context.cluster.storage.lustre)
        if found is None or found[1].existing is not None:
            return  # CW-S033 asks FSx for its deployment type
        fs = found[1]
        if fs.deployment_type.startswith("PERSISTENT") or is_exported(checkpoint_path, fs):
            return
        yield Fail(
            message=f"{checkpoint_path} is on {fs.deployment_type}, which does not replicate its "
            "data, and no repository exports it",
            hint="add a repository with export: [NEW, CHANGED, DELETED], or PERSISTENT_2",
        )
