"""The folder of lifecycle scripts is small enough to be copied."""

from __future__ import annotations

from typing import Final

from clusterwright.preflight.rule import Context, Fail, Results, Rule, Subjects
from clusterwright.preflight.rules.lifecycle.scripts_folder import Folder, folders

EPHEMERAL_MIB: Final = 512
"""What a Lambda function has for files by default (Lambda developer guide, quotas): the CDK's
copying function has the archive and what is in it there at once."""

_MIB: Final = 1024**2


class ScriptsSize(Rule[Folder]):
    id = "CW-L014"
    title = "The folder of lifecycle scripts can be copied"
    scope = "offline"
    prevents = "the copying function fails with `No space left on device`, in the lifecycle stack"
    source = "CDK, aws_s3_deployment.BucketDeployment; Lambda developer guide, quotas"

    def subjects(self, context: Context) -> Subjects[Folder]:
        return folders(context)

    def check(self, folder: Folder) -> Results:
        sizes = {path: path.stat().st_size for path in folder.files}
        total = sum(sizes.values())
        if total * 2 <= EPHEMERAL_MIB * _MIB:
            return
        largest = max(sizes, key=lambda path: sizes[path])
        yield Fail(
            message=f"{folder.root.name} has {total / _MIB:,.0f} MiB; copying it takes twice as "
            f"much, and there are {EPHEMERAL_MIB} MiB",
            requested=round(total * 2 / _MIB),
            limit=EPHEMERAL_MIB,
            where=folder.named(largest),
            hint=f"{folder.named(largest)} alone has {sizes[largest] / _MIB:,.0f} MiB: large "
            "files belong in a bucket of their own",
        )


RULE = ScriptsSize()
