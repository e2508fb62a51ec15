"""Lines that services of the local AWS, and the world's `log_lines`, write to log streams."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from clusterwright_localaws.core import moto_state
from clusterwright_localaws.core.runtime import Runtime
from clusterwright_localaws.services.sagemaker.state import log_group_name, store
from clusterwright_localaws.worlds.model import moment_of

_BETWEEN_LINES = timedelta(milliseconds=1)


def write_lines(
    account: str, region: str, group: str, stream: str, lines: Sequence[tuple[datetime, str]]
) -> None:
    """Write lines with their times; the group and the stream are created."""
    backend = moto_state.backend("logs", account, region)
    if group not in backend.groups:
        backend.create_log_group(group, {})
    found = backend.groups[group]
    if stream not in found.streams:
        found.create_log_stream(stream)
    # An event must have at least one character.
    found.put_log_events(
        stream,
        [
            {"timestamp": int(when.timestamp() * 1000), "message": text or " "}
            for when, text in lines
        ],
    )


def seed_log_lines(runtime: Runtime) -> None:
    """Write the world's `log_lines` that are not written yet and whose group can be named."""
    world = runtime.world
    if not world.log_lines:
        return
    written = runtime.store("seeded-log-lines", "", "", set[int | str])
    now = datetime.now(UTC)
    for each in world.log_lines:
        account = each.account or world.account
        region = each.region or world.region
        group = _group(runtime, account, region, each.group)
        key = f"{account}/{region}/{group}/{each.model_dump_json()}"
        if group is None or key in written:
            continue
        written.add(key)
        first = moment_of(each.at, now)
        write_lines(
            account,
            region,
            group,
            each.stream,
            [(first + number * _BETWEEN_LINES, line) for number, line in enumerate(each.lines)],
        )


def _group(runtime: Runtime, account: str, region: str, name: str) -> str | None:
    """Return the name of a log group; None for a HyperPod cluster that does not exist yet."""
    if not (name.startswith("/aws/sagemaker/Clusters/") and name.endswith("/*")):
        return name
    cluster = store(runtime, account, region).by_name.get(name.split("/")[4])
    return None if cluster is None else log_group_name(cluster)
