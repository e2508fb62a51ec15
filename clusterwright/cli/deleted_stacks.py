"""Stacks that were deleted after the last deployment of their environment."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Iterator, Mapping

    from clusterwright.aws.cloudformation.stacks import Stack
    from clusterwright.aws.session import AwsSession
    from clusterwright.operate.results import Difference, NotCompared


def deleted_stacks(
    session: AwsSession, environment: str, there: Mapping[str, Stack]
) -> Iterator[Difference | NotCompared]:
    """Yield the stacks of an environment that are gone, beside those that are `there`.

    One that was deleted before the last operation on another stack is left out: the deployment
    after it did not need it any more.
    """
    from clusterwright.aws.cloudformation.history import stack_summaries
    from clusterwright.aws.errors import AwsUnavailable
    from clusterwright.operate.results import Difference, NotCompared
    from clusterwright.platforms.stack_names import part_of

    deployed = max((one.changed_at for one in there.values() if one.changed_at), default=None)
    if deployed is None:
        return
    try:
        summaries = stack_summaries(session)
    except AwsUnavailable as refusal:
        what = "stacks that were deleted"
        yield NotCompared(what, refusal.message, refusal.hint, is_unread=True)
        return
    gone: dict[str, dt.datetime] = {}
    for one in summaries:
        if one.deleted is None or one.deleted <= deployed or one.name in there:
            continue
        if part_of(environment, one.name) is not None:
            gone[one.name] = max(one.deleted, gone.get(one.name, one.deleted))
    for name, at in sorted(gone.items()):
        yield Difference(name, "", f"deleted at {at:%Y-%m-%dT%H:%M:%SZ}", "there", "stack")
