"""The image is recent enough for accounting on RDS."""

from __future__ import annotations

from clusterwright.preflight.rule import Context, Fail, Results, Rule, Subjects


class ImageAge(Rule[None]):
    id = "CW-I001"
    severity = "warning"
    prevents = "CreateCluster fails: AccountingDatabase needs an image released after 2026-08-30"
    source = "AWS documentation, sagemaker-hyperpod-external-accounting-db-slurm"

    def subjects(self, context: Context) -> Subjects[None]:
        if context.on_hyperpod and context.cluster.slurm.accounting.kind == "rds":
            yield ("slurm", "accounting", "kind"), None

    def check(self, context: Context) -> Results:
        image = context.cluster.image
        if image.released is not None:
            return  # the spec refuses an older image
        pinned = image.release_version or image.image_id
        yield Fail(
            message=f"the spec does not state the release date of {pinned}"
            if pinned
            else "the image is not pinned, so its release date is not known",
            path=("image",) if pinned else None,
            hint="image: {release_version: ..., released: ...}, from HyperPod's release notes",
        )
