"""The local AWS: moto, with the services and the CloudFormation engine that moto lacks.

`clusterwright localaws` serves it on a port. `local_aws()` runs it inside a test, without a
socket. moto is imported only when one of them starts.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from clusterwright_localaws.core.runtime import Runtime
    from clusterwright_localaws.worlds.model import World

__all__ = ["local_aws"]


@contextmanager
def local_aws(world: World | str | Path | None = None, **changes: Any) -> Iterator[Runtime]:
    """Answer every boto3 call of this process from a fresh local AWS, without a socket.

    Parameters
    ----------
    world:
        A world, the name of a built-in world, or a file. Default: `generous`.
    **changes:
        Fields of the world to replace, for example ``quotas={"sagemaker/L-8762A75F": 8}``.

    A 12-digit `AWS_ACCESS_KEY_ID` in the environment selects the account, as with the server;
    otherwise the world's account is used. Other credentials in the environment are hidden while it
    runs, so that no call reaches AWS by mistake.

    Yields
    ------
    Runtime
        `clock.advance(seconds)` moves its time forward, for worlds with delays.

    Raises
    ------
    WorldError, pydantic.ValidationError
        There is no such world, or a change is not one of its fields.

    Examples
    --------
    >>> with local_aws("new-account", quotas={"sagemaker/L-8762A75F": 8}):
    ...     boto3.client("sagemaker", "us-east-1").list_clusters()
    """
    from moto import mock_aws

    from clusterwright_localaws.core.credentials import is_account
    from clusterwright_localaws.core.runtime import running
    from clusterwright_localaws.server.install import install
    from clusterwright_localaws.worlds.contradictions import with_changes
    from clusterwright_localaws.worlds.loading import DEFAULT_WORLD, load_world
    from clusterwright_localaws.worlds.model import World as WorldModel

    found = world if isinstance(world, WorldModel) else load_world(world or DEFAULT_WORLD)
    if changes:
        found = with_changes(found, changes)
    install()
    key = os.environ.get("AWS_ACCESS_KEY_ID", "")
    with running(found) as current, mock_aws():
        if is_account(key):
            os.environ["AWS_ACCESS_KEY_ID"] = key  # moto restores the previous value at the end
        yield current
