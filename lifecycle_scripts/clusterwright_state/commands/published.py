"""The acceptance of nodes as their administrator published it, for nodes that do not keep it.

`state/scheduler.json` of the cluster's bucket, read with the rights of the caller: root has those
of the node's role, users have none where they cannot reach the instance metadata service.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Optional

from clusterwright_state import requests
from clusterwright_state.bucket import Bucket, BucketError, parsed
from clusterwright_state.commands.setting import Setting
from clusterwright_state.service import KEY

STALE_AFTER = dt.timedelta(minutes=15)
"""An older state is not used, as elsewhere."""
LARGEST_BYTES = 32 * 1024 * 1024
_DEADLINE_SECONDS = 20.0


class NotReadable(Exception):
    """There is no published state to use; the message says why."""


@dataclass(frozen=True)
class Published:
    """`acceptance` and `history` of the state, with its time; None as in the state."""

    acceptance: Optional[Mapping[str, Any]]
    history: Optional[Mapping[str, Any]]
    written_at: str


def read(
    setting: Setting, nodes: Optional[Sequence[Mapping[str, Any]]], now: dt.datetime
) -> Published:
    """Read what was published; a node of `nodes` that has started since is left out.

    Raises
    ------
    NotReadable
        It cannot be read, is of another cluster, or is too old.
    """
    found = _state(setting, now)
    booted = {str(node["name"]): node["boot_time"] for node in nodes or ()}
    at = str(found["written_at"])
    acceptance, history = (
        {name: each for name, each in part.items() if (booted.get(name) or "") <= at}
        if isinstance(part, dict)
        else None
        for part in (found.get("acceptance"), found.get("history"))
    )
    return Published(acceptance, history, at)


def inputs_sha256(setting: Setting) -> Optional[str]:
    """The digest of the files that configured the node that publishes; None if it states none.

    Raises
    ------
    NotReadable
        As of `read`.
    """
    digest = _configuration(setting).get("inputs_sha256")
    return None if digest is None else str(digest)


def program_sha256(setting: Setting) -> Optional[str]:
    """The version of the node program of the node that publishes; None if it states not one.

    Raises
    ------
    NotReadable
        As of `read`.
    """
    versions = (_configuration(setting).get("program") or {}).get("versions") or {}
    return str(next(iter(versions))) if len(versions) == 1 else None


def _configuration(setting: Setting) -> Mapping[str, Any]:
    return _state(setting, dt.datetime.now(dt.timezone.utc)).get("configuration") or {}


def _state(setting: Setting, now: dt.datetime) -> Mapping[str, Any]:
    if setting.state_bucket is None:
        raise NotReadable("the cluster has no bucket for the state")
    try:
        bucket = Bucket(setting.state_bucket, setting.region, _DEADLINE_SECONDS)
        found = parsed(bucket.get(KEY, LARGEST_BYTES))
    except (BucketError, OSError) as error:
        raise NotReadable(f"{KEY} of the bucket cannot be read: {error}") from error
    written = requests.time_of((found or {}).get("written_at"))
    if found is None or written is None or found.get("environment") != setting.environment:
        raise NotReadable(f"{KEY} is not the state of {setting.environment}")
    if abs(now - written) > STALE_AFTER:
        raise NotReadable(f"it was published last at {found['written_at']}")
    return found
