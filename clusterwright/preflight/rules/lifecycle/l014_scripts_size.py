"""The folder of lifecycle scripts can be uploaded."""

from __future__ import annotations

from typing import Final

from clusterwright.preflight.rule import Context, Fail, Results, Rule, Subjects
from clusterwright.preflight.rules.lifecycle.scripts_folder import Folder, folders

EPHEMERAL_MIB: Final = 512
"""The default ephemeral storage of a Lambda function (Lambda developer guide, quotas): the CDK's
deployment function stores the archive and its content at the same time."""

_MIB: Final = 1024**2


class ScriptsSize(Rule[Folder]):
    id = "CW-L014"
    prevents = (
        "the CDK's deployment function fails with `No space left on device` in the lifecycle stack"
    )
    source = "CDK, aws_s3_deployment.BucketDeployment; Lambda developer guide, quotas"

    def subjects(self, context: Context) -> Subjects[Folder]:
        return folders(context)

    def check(self, folder: Folder) -> Results:
        sizes = {folder.root / state.name: state.size_bytes for state in folder.states}
        total = sum(sizes.values())
        if total * 2 <= EPHEMERAL_MIB * _MIB:
            return
        largest = max(sizes, key=lambda path: sizes[path])
        yield Fail(
            message=f"{folder.root.name} has {total / _MIB:,.0f} MiB; uploading it takes twice "
            f"as much, and the function has {EPHEMERAL_MIB} MiB",
            requested=round(total * 2 / _MIB),
            limit=EPHEMERAL_MIB,
            where=folder.named(largest),
            hint=f"{folder.named(largest)} alone has {sizes[largest] / _MIB:,.0f} MiB: store "
            "large files in a separate bucket",
        )
