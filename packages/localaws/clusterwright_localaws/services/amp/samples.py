"""Samples of a Prometheus workspace: remote write, and queries of the last ones.

https://docs.aws.amazon.com/prometheus/latest/userguide/AMP-APIReference-Prometheus-Compatible-Apis.html
(RemoteWrite, QueryMetrics, GetSeries); these APIs are Prometheus's, so botocore has no model of
them. A workspace keeps the last sample of each series. A query is one selector, such as
`up{job="a"}`: expressions are not evaluated. Signatures must be there and are not calculated.
Texts of refusals are ours.
"""

from __future__ import annotations

import json
import math
import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from clusterwright_localaws.core import accounts, catalog_facts, moto_state
from clusterwright_localaws.core.call import unmodelled
from clusterwright_localaws.core.credentials import access_key_of
from clusterwright_localaws.core.runtime import Runtime, runtime
from clusterwright_localaws.services.amp.selector import Matcher, SelectorError, matches, selector
from clusterwright_localaws.services.amp.snappy import SnappyError, decompressed
from clusterwright_localaws.services.amp.write_request import Labels, series_of

if TYPE_CHECKING:
    from moto.core.request import Request

    from clusterwright_localaws.server.wire import Answer

_PATH: Final = re.compile(r"/workspaces/(ws-[0-9a-z-]+)/api/v1/(remote_write|query|series)/?")
_OPERATIONS: Final = {
    "remote_write": ("RemoteWrite", ("POST",)),
    "query": ("QueryMetrics", ("GET", "POST")),
    "series": ("GetSeries", ("GET", "POST")),
}
# Catalogue's source of the limit. Service Quotas' code of it is in no source; the world's is ours.
_LIMIT: Final = ("aps", "Active series per workspace")
LIMIT_KEY: Final = "aps/L-00000000"
"""The key of a world's `quotas` that replaces the documented limit of active series."""
_ACTIVE: Final = timedelta(hours=2)
_LOOKBACK: Final = timedelta(minutes=5)
_MOST_BYTES: Final = 32 * 1024 * 1024
# Prometheus's marker of a series that ended: a NaN with these bits (model/value/value.go).
_STALE: Final = struct.pack("<Q", 0x7FF0000000000002)


@dataclass
class Kept:
    """The last sample of a series, in milliseconds since 1970, and when one last arrived."""

    time_ms: int
    value: float
    received: datetime


@dataclass
class Samples:
    """What one workspace has received."""

    series: dict[Labels, Kept] = field(default_factory=dict)
    sample_count: int = 0
    request_count: int = 0

    def active(self, now: datetime) -> int:
        """The number of series with a sample in the last two hours."""
        return sum(now - kept.received < _ACTIVE for kept in self.series.values())


@dataclass
class Workspaces:
    """The samples of the workspaces of one account and region."""

    by_id: dict[str, Samples] = field(default_factory=dict)


def samples_of(account: str, region: str, workspace_id: str) -> Samples:
    """Return what a workspace has received."""
    store = runtime().store("amp samples", account, region, Workspaces)
    return store.by_id.setdefault(workspace_id, Samples())


@unmodelled("amp")
def answer(request: Request, region: str) -> Answer | None:
    """Answer a request of the Prometheus-compatible APIs; None for other paths."""
    found = _PATH.fullmatch(request.path)
    if found is None:
        return None
    operation, methods = _OPERATIONS[found[2]]
    if request.method not in methods:
        return _message(405, f"{request.method} is not allowed")
    if access_key_of(request) is None:
        return _message(403, "Missing Authentication Token")
    current, account = runtime(), accounts.account_of(request)
    _authorise(current, operation, request, region, found[1])
    backend = moto_state.backend("amp", account, region)
    if found[1] not in backend.workspaces:
        return _message(404, f"Workspace not found: {found[1]}")
    if backend.workspaces[found[1]].status["statusCode"] != "ACTIVE":
        return _message(409, f"Workspace {found[1]} is not active")
    kept = samples_of(account, region, found[1])
    with current.lock:
        if operation == "RemoteWrite":
            return _write(current, request, kept)
        return _read(current, operation, request, kept)


def _authorise(
    current: Runtime, operation: str, request: Request, region: str, workspace_id: str
) -> None:
    if current.ended_keys and access_key_of(request) in current.ended_keys:
        from clusterwright_localaws.iam.callers import expired_token

        raise expired_token("amp")
    if current.world.iam == "enforced":
        from clusterwright_localaws.iam.enforcement import authorise

        authorise(current, "amp", operation, request, region, {"workspaceId": workspace_id})


def _write(current: Runtime, request: Request, kept: Samples) -> Answer:
    try:
        body = decompressed(request.get_data(cache=True), _MOST_BYTES)
        series = list(series_of(body))
    except (SnappyError, ValueError) as error:
        return _message(400, f"the write request cannot be read: {error}")
    now = current.clock.now()
    added: set[Labels] = set()
    for one in series:
        if not dict(one.labels).get("__name__"):
            return _message(400, "a series has no metric name")
        known = kept.series.get(one.labels)
        if known is None or now - known.received >= _ACTIVE:
            added.add(one.labels)
    limit, active = _limit(current), kept.active(now) + len(added)
    if limit is not None and active > limit:
        # The user guide, "Troubleshooting": samples beyond a limit are refused with 429.
        return _message(429, f"the workspace would have {active} active series; limit {limit:.0f}")
    kept.request_count += 1
    for one in series:
        for time_ms, value in one.samples:
            kept.sample_count += 1
            before = kept.series.get(one.labels)
            if before is None or time_ms >= before.time_ms:
                kept.series[one.labels] = Kept(time_ms, value, now)
    return 200, {}, b""


def _limit(current: Runtime) -> float | None:
    if LIMIT_KEY in current.world.quotas:
        return float(current.world.quotas[LIMIT_KEY])
    for quota in catalog_facts.catalog().quotas:
        if (quota.service, quota.name) == _LIMIT:
            default = catalog_facts.known(quota.default)
            return None if default is None else float(default)
    return None


def _read(current: Runtime, operation: str, request: Request, kept: Samples) -> Answer:
    name = "query" if operation == "QueryMetrics" else "match[]"
    text = request.values.get(name, "")
    try:
        selected = list(_selected(kept, selector(text)))
        at = float(request.values.get("time") or current.clock.now().timestamp())
    except (SelectorError, ValueError) as error:
        return _failed(str(error))
    if operation == "GetSeries":
        data: Any = [dict(labels) for labels, _ in selected]
    else:
        since = (at - _LOOKBACK.total_seconds()) * 1000
        data = {
            "resultType": "vector",
            "result": [
                {"metric": dict(labels), "value": [at, _text(one.value)]}
                for labels, one in selected
                if since < one.time_ms <= at * 1000 and not _is_stale(one.value)
            ],
        }
    return (
        200,
        {"Content-Type": "application/json"},
        json.dumps({"status": "success", "data": data}),
    )


def _selected(kept: Samples, asked: list[Matcher]) -> Iterator[tuple[Labels, Kept]]:
    for labels, one in sorted(kept.series.items()):
        if matches(asked, dict(labels)):
            yield labels, one


def _is_stale(value: float) -> bool:
    return struct.pack("<d", value) == _STALE


def _text(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "+Inf" if value > 0 else "-Inf"
    return repr(value).removesuffix(".0")


def _message(status: int, text: str) -> Answer:
    return status, {"Content-Type": "application/json"}, json.dumps({"message": text})


def _failed(text: str) -> Answer:
    """Return an error in the form of Prometheus's HTTP API."""
    body = {"status": "error", "errorType": "bad_data", "error": text}
    return 400, {"Content-Type": "application/json"}, json.dumps(body)
