"""What `drift` says of files that the deployed stacks uploaded: what was written or deleted."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import datetime as dt

    from clusterwright.aws.cloudformation.stacks import StackResource
    from clusterwright.aws.session import AwsSession
    from clusterwright.operate.results import NotCompared
    from clusterwright.review.assembly import Assembly
    from clusterwright.review.resource_changes import Key
    from clusterwright.review.results import SpecChange, Unknown
    from clusterwright.review.upload_drift import Upload


def rewritten_uploads(
    session: AwsSession, deployed: Assembly, unknown: list[Unknown]
) -> tuple[tuple[SpecChange, ...], tuple[NotCompared, ...]]:
    """The uploads that were written or deleted after their deployment, and what S3 does not tell.

    What cannot be read is added to `unknown`.
    """
    from clusterwright.aws import s3
    from clusterwright.aws.cloudformation.stacks import stack_resources
    from clusterwright.aws.errors import AwsUnavailable
    from clusterwright.operate.results import NotCompared
    from clusterwright.review.resource_changes import resources_of
    from clusterwright.review.results import Unknown
    from clusterwright.review.upload_drift import TYPE, upload_drift, uploads_of

    def resources(stack: str) -> tuple[StackResource, ...] | Unknown:
        try:
            return stack_resources(session, stack)
        except AwsUnavailable as refusal:
            return Unknown(f"the uploads of {stack}", refusal.message, refusal.hint)

    def written(upload: Upload) -> tuple[tuple[SpecChange, ...], NotCompared | None] | Unknown:
        place = f"s3://{upload.bucket}/{upload.prefix}"
        try:
            objects = tuple(s3.written_at(session, upload.bucket, upload.prefix))
        except AwsUnavailable as refusal:
            return Unknown(f"the objects of {place}", refusal.message, refusal.hint)
        reason = "neither S3 nor the deployed template lists the files that were uploaded"
        single = NotCompared(f"files that were deleted from {place}", reason)
        return upload_drift(upload, objects), single if objects else None

    kinds = {key: side.type for key, side in resources_of(deployed).items()}
    if TYPE not in kinds.values():
        return (), ()
    with ThreadPoolExecutor(8) as pool:
        of_stacks = dict(zip(deployed.stacks, pool.map(resources, deployed.stacks), strict=True))
        ids: dict[Key, str] = {}
        times: dict[Key, dt.datetime] = {}
        for stack, found in of_stacks.items():
            if isinstance(found, tuple):
                ids |= {(stack, each.logical_id): each.physical_id for each in found}
                copies = [each for each in found if kinds.get((stack, each.logical_id)) == TYPE]
                times |= {
                    (stack, each.logical_id): each.updated_at
                    for each in copies
                    if each.status.endswith("_COMPLETE") and each.updated_at is not None
                }
                unknown += [
                    Unknown(
                        f"the uploaded files of {stack}/{each.logical_id}",
                        f"its status is {each.status}: when it uploaded them is not known",
                    )
                    for each in copies
                    if (stack, each.logical_id) not in times
                ]
        answers = list(pool.map(written, uploads_of(deployed, ids, times)))
    # Stacks whose resources could not be listed are unknown already.
    unknown += [answer for answer in answers if not isinstance(answer, tuple)]
    known = [answer for answer in answers if isinstance(answer, tuple)]
    changes = tuple(change for differing, _ in known for change in differing)
    return changes, tuple(single for _, single in known if single is not None)
