"""What `drift` says of files that the deployed stacks uploaded: those that were written again."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import datetime as dt

    from clusterwright.aws.cloudformation.stacks import StackResource
    from clusterwright.aws.session import AwsSession
    from clusterwright.review.assembly import Assembly
    from clusterwright.review.resource_changes import Key
    from clusterwright.review.results import SpecChange, Unknown
    from clusterwright.review.upload_drift import Upload


def rewritten_uploads(
    session: AwsSession, deployed: Assembly, unknown: list[Unknown]
) -> tuple[SpecChange, ...]:
    """The uploaded objects that were written after their deployment.

    What cannot be read is added to `unknown`.
    """
    from clusterwright.aws import s3
    from clusterwright.aws.cloudformation.stacks import stack_resources
    from clusterwright.aws.errors import AwsUnavailable
    from clusterwright.review.resource_changes import resources_of
    from clusterwright.review.results import Unknown
    from clusterwright.review.upload_drift import TYPE, upload_drift, uploads_of

    def resources(stack: str) -> tuple[StackResource, ...] | Unknown:
        try:
            return stack_resources(session, stack)
        except AwsUnavailable as refusal:
            return Unknown(f"the uploads of {stack}", refusal.message, refusal.hint)

    def written(upload: Upload) -> tuple[SpecChange, ...] | Unknown:
        try:
            return upload_drift(upload, s3.written_at(session, upload.bucket, upload.prefix))
        except AwsUnavailable as refusal:
            what = f"the objects of s3://{upload.bucket}/{upload.prefix}"
            return Unknown(what, refusal.message, refusal.hint)

    kinds = {key: side.type for key, side in resources_of(deployed).items()}
    if TYPE not in kinds.values():
        return ()
    with ThreadPoolExecutor(8) as pool:
        of_stacks = dict(zip(deployed.stacks, pool.map(resources, deployed.stacks), strict=True))
        ids: dict[Key, str] = {}
        times: dict[Key, dt.datetime] = {}
        for stack, found in of_stacks.items():
            if isinstance(found, tuple):
                ids |= {(stack, each.logical_id): each.physical_id for each in found}
                times |= {
                    (stack, each.logical_id): each.updated_at
                    for each in found
                    if each.updated_at is not None
                }
        answers = list(pool.map(written, uploads_of(deployed, ids, times)))
    # Stacks whose resources could not be listed are unknown already.
    unknown += [answer for answer in answers if not isinstance(answer, tuple)]
    return tuple(change for answer in answers if isinstance(answer, tuple) for change in answer)
