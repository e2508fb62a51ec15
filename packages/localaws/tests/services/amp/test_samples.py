"""Tests of services.amp.samples."""

from __future__ import annotations

import json
import math
import struct
import time
from collections.abc import Iterator
from typing import Any

import pytest

from clusterwright_localaws.server.server import Serving, serving
from clusterwright_localaws.services.amp.samples import LIMIT_KEY, samples_of
from clusterwright_localaws.worlds.model import World
from packages.localaws.tests.parts import REGION
from packages.localaws.tests.servers import at
from packages.localaws.tests.services.amp.prometheus_requests import query, send, write_request

pytestmark = pytest.mark.enable_socket

ACCOUNT = "111122223333"


@pytest.fixture
def served() -> Iterator[Serving]:
    with serving(World(quotas={LIMIT_KEY: 3})) as found:
        yield found


def workspace_of(served: Serving, **tags: str) -> str:
    amp = at(served.url, "amp", ACCOUNT)
    return str(amp.create_workspace(tags=tags)["workspaceId"])


def now_ms() -> int:
    return int(time.time() * 1000)


def up(node: str, value: float, time_ms: int | None = None) -> Any:
    labels = {"__name__": "up", "node": node}
    return labels, value, now_ms() if time_ms is None else time_ms


def write(served: Serving, workspace: str, *series: Any, **how: Any) -> tuple[int, Any]:
    path = f"/workspaces/{workspace}/api/v1/remote_write"
    return send(served.port, path, write_request(*series), **how)


class TestWrites:
    def test_the_last_sample_of_each_series_is_found(self, served: Serving) -> None:
        workspace, at_first = workspace_of(served), now_ms()
        series = (up("a", 1, at_first - 2000), up("a", 2, at_first - 1000), up("b", 3, at_first))
        assert write(served, workspace, *series) == (200, None)
        # An older sample that arrives late does not replace a newer one.
        assert write(served, workspace, up("a", 9, at_first - 5000)) == (200, None)
        found = query(served.port, workspace, "up")
        assert [(one["metric"]["node"], one["value"][1]) for one in found] == [
            ("a", "2"),
            ("b", "3"),
        ]
        kept = samples_of(ACCOUNT, REGION, workspace)
        assert (kept.sample_count, kept.request_count) == (4, 2)
        status, answered = send(
            served.port, f"/workspaces/{workspace}/api/v1/series?match[]=up", method="GET"
        )
        assert (status, len(answered["data"])) == (200, 2)

    def test_a_series_that_ended_or_is_old_has_no_value(self, served: Serving) -> None:
        workspace = workspace_of(served)
        write(served, workspace, up("a", 1), up("b", 1, now_ms() - 400_000))
        assert len(query(served.port, workspace, "up")) == 1
        write(served, workspace, up("a", math.nan))
        assert query(served.port, workspace, "up")[0]["value"][1] == "NaN"
        (ended,) = struct.unpack("<d", struct.pack("<Q", 0x7FF0000000000002))
        write(served, workspace, up("a", ended))
        assert query(served.port, workspace, "up") == []

    def test_series_beyond_the_limit_are_refused(self, served: Serving) -> None:
        workspace = workspace_of(served)
        assert write(served, workspace, up("a", 1), up("b", 1), up("c", 1))[0] == 200
        refused = (429, {"message": "the workspace would have 4 active series; limit 3"})
        assert write(served, workspace, up("d", 1)) == refused
        assert write(served, workspace, up("a", 2))[0] == 200
        served.runtime.clock.advance(7200)
        assert write(served, workspace, up("d", 1))[0] == 200

    def test_a_series_that_a_request_has_several_times_counts_once(self, served: Serving) -> None:
        workspace, at_first = workspace_of(served), now_ms()
        series = [up(node, 1, at_first - ago) for node in "abc" for ago in (2000, 1000)]
        assert write(served, workspace, *series) == (200, None)
        assert write(served, workspace, up("d", 1), up("d", 2))[0] == 429

    @pytest.mark.parametrize(
        ("body", "message"),
        [
            (b"\x05\x10ab", "the write request cannot be read: a literal ends early"),
            (b"\x02\x04\x0a\x05", "the write request cannot be read: the message ends early"),
            (write_request(({"node": "a"}, 1.0, 0)), "a series has no metric name"),
            # A sample with a number as its value, and one with bytes as its time.
            (
                b"\x06\x14\x0a\x04\x12\x02\x08\x01",
                "the write request cannot be read: the value of a sample is no double",
            ),
            (
                b"\x06\x14\x0a\x04\x12\x02\x12\x00",
                "the write request cannot be read: the time of a sample is no number",
            ),
        ],
    )
    def test_malformed_requests_are_refused(
        self, served: Serving, body: bytes, message: str
    ) -> None:
        path = f"/workspaces/{workspace_of(served)}/api/v1/remote_write"
        assert send(served.port, path, body) == (400, {"message": message})

    def test_unsigned_requests_and_unknown_workspaces_are_refused(self, served: Serving) -> None:
        workspace = workspace_of(served)
        refused = (403, {"message": "Missing Authentication Token"})
        assert write(served, workspace, up("a", 1), key=None) == refused
        assert write(served, "ws-0", up("a", 1)) == (
            404,
            {"message": "Workspace not found: ws-0"},
        )
        status, _ = send(served.port, f"/workspaces/{workspace}/api/v1/remote_write", method="GET")
        assert status == 405


class TestQueries:
    def test_expressions_are_not_evaluated(self, served: Serving) -> None:
        path = f"/workspaces/{workspace_of(served)}/api/v1/query?query=rate(up[5m])"
        status, found = send(served.port, path, method="GET")
        assert (status, found["errorType"]) == (400, "bad_data")
        assert found["error"].startswith("the local AWS evaluates selectors only")


class TestPermissions:
    def test_a_user_without_remote_write_is_refused(self) -> None:
        with serving(World(iam="enforced", account=ACCOUNT)) as served:
            iam = at(served.url, "iam", ACCOUNT)
            workspace, other = workspace_of(served), workspace_of(served)
            iam.create_user(UserName="agent")
            key = iam.create_access_key(UserName="agent")["AccessKey"]
            who = {"key": key["AccessKeyId"], "secret": key["SecretAccessKey"]}
            status, found = write(served, workspace, up("a", 1), **who)
            assert status == 403
            assert "aps:RemoteWrite" in (found.get("message") or found.get("Message"))
            arn = f"arn:aws:aps:{REGION}:{ACCOUNT}:workspace/{workspace}"
            allow = {"Effect": "Allow", "Action": "aps:RemoteWrite", "Resource": arn}
            iam.put_user_policy(
                UserName="agent",
                PolicyName="metrics",
                PolicyDocument=json.dumps({"Version": "2012-10-17", "Statement": [allow]}),
            )
            assert write(served, workspace, up("a", 1), **who) == (200, None)
            assert write(served, other, up("a", 1), **who)[0] == 403
